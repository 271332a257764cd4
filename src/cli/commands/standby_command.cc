// surety standby: waits beside a run's coordinator, and takes the run over if that is lost.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "base/posix/signals.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/run_lead.h"
#include "cli/run/run_leadership.h"
#include "cli/run/run_resume.h"
#include "cli/usage.h"

namespace surety::cli {
namespace {

using orchestrator::Candidacy;

Result<int> take_over(const RunOptions& options, PreparedRun& run) {
  print_message(fmt::format("taking over {}\n", run.folder.string()));
  SURETY_TRY(take_over_run(run));
  print_message(fmt::format("coordinator {} has taken over, because coordinator {} is lost\n",
                            run.state.term, run.state.term - 1));
  return lead_run(options, run);
}

Result<int> stand_by(const RunOptions& options, const std::string& folder) {
  // The data are read first, which may take minutes.
  posix::exit_on_stop_signals(kInterrupted, "stopped; the run continues without a standby\n");
  SURETY_TRY(PreparedRun run, prepare_takeover(folder));
  posix::count_stop_signals();
  if (!run.config.job.coordinator.standby) {
    return fail(ErrorCode::kInvalidInput,
                "{}: its job allows no standby: coordinator.standby: found off, expected on when "
                "the run begins",
                run.folder.string());
  }
  if (run.state.end) return report_end(options, run, {.reason = run.state.end->reason()});
  SURETY_TRY(read_etcd_keys(run));
  join_election(run);
  SURETY_TRY(check_etcd(run));
  const bool silent = options.json || options.quiet;
  const auto log = [&](const std::string& line) {
    if (!silent) print_message(fmt::format("{}\n", line));
  };
  switch (wait_for_leadership(run, Candidacy::Aim::kStandBy, log)) {
    case Candidacy::Step::kLead:
      return take_over(options, run);
    case Candidacy::Step::kOver:
      return report_end(options, run, *run.lease_holder->view().end);
    default:  // A signal has stopped the waiting.
      log("stopped; the run continues without a standby");
      return kInterrupted;
  }
}

}  // namespace

void add_standby(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  const auto folder = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand(
      "standby", "Wait until a run's coordinator is lost, then take over the run");
  command.add_option("run", *folder, "The run's folder")->required()->type_name("RUN");
  command
      .add_option_function<std::string>(
          "--listen", store_in(options->listen),
          "Address at which workers reach this machine once it leads (default: the last "
          "coordinator's address, or cluster.listen)")
      ->type_name("HOST:PORT");
  command.add_flag("--json", options->json, "Print the certificate as JSON, and no progress");
  command.add_flag("--quiet", options->quiet, "Print no progress");
  command.footer(
      "The job must have  coordinator: {standby: on, etcd: [HOST:PORT, ...]}  when it begins.\n"
      "The standby ends with the verdict and the exit code of the run, whichever coordinator "
      "completes it.\n"
      "Example:\n"
      "  surety standby runs/mnist-1");
  command.callback([options, folder, &chosen] {
    chosen = [options, folder] {
      const Result<int> code = stand_by(*options, *folder);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
