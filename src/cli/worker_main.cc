// surety-worker: the worker that can train networks (it links libtorch). `surety worker` and the
// launchers start it.
#include "cli/commands.h"
#include "learn/torch/any_task.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Surety's worker for networks; use `surety worker`, which starts it as it should be");
  surety::cli::Action action;
  surety::cli::add_worker_options(app, action, surety::learn::any_task(), false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? surety::cli::kKept : surety::cli::kUsage;
  }
  return action();
}
