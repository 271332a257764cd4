// surety-worker: the program for everything that needs libtorch, which takes most of a second to
// load. It is the worker that can train networks. It also predicts with networks, and measures them
// again. `surety worker`, `surety predict`, `surety run`, `surety verify` and the launchers start
// it.
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>

#include "base/posix/limits.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "learn/torch/any_task.h"
#include "learn/torch/network_predictor.h"

int main(int argc, char** argv) {
  surety::posix::forbid_core_dumps();
  // Messages that cannot be parsed are reported by the code that reads them.
  google::protobuf::SetLogHandler(nullptr);
  CLI::App app(
      "Surety's worker for networks; use `surety worker`, which starts it with the right settings");
  surety::cli::Action action;
  if (argc > 1 && std::string_view(argv[1]) == "predict") {
    surety::cli::add_predict(app, action, surety::learn::make_network_predictor);
  } else if (argc > 1 && std::string_view(argv[1]) == "measure") {
    surety::cli::add_measure(app, action, surety::learn::any_task());
  } else {
    surety::cli::add_worker_options(app, action, surety::learn::any_task(), false);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? surety::cli::kKept : surety::cli::kUsage;
  }
  return surety::cli::carry_out(action);
}
