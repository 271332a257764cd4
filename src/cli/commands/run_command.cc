// surety run, profile, train: the commands that need workers.
#include <CLI/CLI.hpp>

#include "base/posix/signals.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/run_begin.h"
#include "cli/run/run_lead.h"
#include "cli/run/run_resume.h"
#include "cli/usage.h"

namespace surety::cli {
namespace {

Result<int> run(const RunOptions& options) {
  // The data are read first, which may take minutes.
  posix::exit_on_stop_signals(
      kInterrupted, options.resume ? "stopped: the run was not resumed yet; resume it again\n"
                                   : "stopped: the run had not begun; begin it again\n");
  SURETY_TRY(PreparedRun run, options.resume ? resume_run(options) : begin_run(options));
  return lead_run(options, run);
}

void add_common(CLI::App& command, const std::shared_ptr<RunOptions>& options, Action& chosen) {
  command
      .add_option_function<std::string>("job", store_in(options->job_file),
                                        "The job file (YAML); docs/job-file.md lists all keys")
      ->type_name("JOB.yaml");
  command
      .add_option("--set", options->sets,
                  "Override a key of the job file: --set promise.target=0.3")
      ->type_name("KEY=VALUE");
  command
      .add_option_function<std::string>("--out", store_in(options->out),
                                        "Folder of the run (default: runs/NAME-N, the next free N)")
      ->type_name("DIR");
  command
      .add_option_function<std::string>("--token", store_in(options->token),
                                        "The secret of this run (default: a random one); invite "
                                        "other machines with surety invite")
      ->type_name("TEXT");
  command.add_flag("--resume", options->resume,
                   "Continue the run in this folder or in --out, or else the newest unfinished run "
                   "(of this job, "
                   "if one is named)");
  command.add_flag("--json", options->json, "Print the certificate as JSON, and no progress");
  command.add_flag("--quiet", options->quiet, "Print no progress");
  command.add_flag("--verbose", options->verbose,
                   "Also print how the load is balanced; RUN/coordinator.log always contains this");
  command.callback([options, &chosen] {
    chosen = [options] {
      if (!options->job_file && !options->resume) {
        return report_error(
            {ErrorCode::kInvalidInput, fmt::format("found no job file, expected one. For example:  "
                                                   "surety {} examples/quickstart.yaml",
                                                   orchestrator::name_of(options->mode))},
            options->json);
      }
      const Result<int> code = run(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  options->mode = orchestrator::RunMode::kRun;
  CLI::App& command = *app.add_subcommand("run",
                                          "Run the whole job: train, state the promise as soon as "
                                          "it can be kept, and certify the result");
  add_common(command, options, chosen);
  command
      .add_option_function<std::string>(
          "--library", store_in(options->library),
          "Folder with the results of earlier jobs (default: "
          "~/.local/share/surety/profiles). --set profile.library=off: use none")
      ->type_name("DIR");
  command.add_flag(
      "--best-effort", options->best_effort,
      "If the promise is refused, continue training until the deadline or the budget ends");
  command.add_flag(
      "--measure-only", options->measure_only,
      "Train until the promise is stated, then pause; --resume continues. A target that is reached "
      "earlier is certified, and a promise that cannot be kept is refused");
  command.footer(
      "Examples:\n"
      "  surety run examples/quickstart.yaml\n"
      "  surety run examples/mnist.yaml --set data.root=/data --out runs/mnist\n"
      "  surety run examples/mnist.yaml --measure-only   states probability and cost, then pauses\n"
      "  surety run --resume                 continues after a crash or Ctrl-C");
}

void add_profile(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  options->mode = orchestrator::RunMode::kProfile;
  CLI::App& command = *app.add_subcommand(
      "profile", "Measure only: how each version learns, and how fast nodes and links are");
  add_common(command, options, chosen);
  command.footer(
      "Example:\n  surety profile examples/mnist.yaml --out runs/p1 --set profile.seeds=5");
}

void add_train(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  options->mode = orchestrator::RunMode::kTrain;
  CLI::App& command =
      *app.add_subcommand("train", "Train only, following a plan or the fixed settings of the job");
  add_common(command, options, chosen);
  command
      .add_option_function<std::string>(
          "--plan", store_in(options->plan_file),
          "A plan.json (default: the job's first version until the target or passes_max)")
      ->type_name("PLAN.json");
  command.footer(
      "Examples:\n"
      "  surety train examples/mnist.yaml --plan runs/p1/plan.json\n"
      "  surety train examples/mnist.yaml --set model.versions=[full] --set train.passes_max=5");
}

}  // namespace surety::cli
