// surety: trains a model to a promised quality by a deadline, with a promised probability and at
// the least cost, on machines that join and leave.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/posix/limits.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "runtime/version.h"

int main(int argc, char** argv) {
  using namespace surety::cli;
  surety::posix::forbid_core_dumps();
  // Messages that cannot be parsed are reported by the code that reads them.
  google::protobuf::SetLogHandler(nullptr);
  CLI::App app(
      "Surety trains a machine-learning model to a promised quality, with a promised probability,\n"
      "by a deadline, at the least cost, on machines that join and leave.",
      "surety");
  app.set_version_flag("--version", fmt::format("surety {} (commit {})", surety::runtime::kVersion,
                                                surety::runtime::kCommit));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 promise kept, 1 usage or input error, 2 promise infeasible, 3 promise "
      "missed,\n"
      "            4 internal failure, 5 another coordinator has taken over the run,\n"
      "            130 stopped by a signal (resume with --resume)\n"
      "Example:\n"
      "  surety run examples/quickstart.yaml");
  Action action;
  add_run(app, action);
  add_profile(app, action);
  add_profiles(app, action);
  add_plan(app, action);
  add_train(app, action);
  add_predict(app, action);
  add_sim(app, action);
  add_invite(app, action);
  add_worker(app, action);
  add_measure(app, action);
  add_standby(app, action);
  add_status(app, action);
  add_verify(app, action);
  add_prove(app, action);
  add_witness(app, action);
  add_cosign(app, action);
  add_keys(app, action);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {  // surety help run
    words.erase(words.begin());
    words.push_back("--help");
  }
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  if (const auto fault = empty_word(words)) {
    return report_error({surety::ErrorCode::kInvalidInput, *fault}, json);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    // The user asked for --help or --version.
    if (error.get_exit_code() == 0) return app.exit(error);
    return report_error({surety::ErrorCode::kInvalidInput, usage_error(app, words, error)}, json);
  }
  return carry_out(action);
}
