#include "cli/run/run_lead.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <variant>

#include "base/posix/file.h"
#include "base/posix/net/socket_address.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "certificate/certificate_json.h"
#include "certificate/record_text.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/ending_codes.h"
#include "cli/run/library.h"
#include "cli/run/linear_summary.h"
#include "cli/run/measure_again.h"
#include "cli/run/read_run.h"
#include "cli/run/run_leadership.h"
#include "cli/run/run_resume.h"
#include "cli/run/run_setup.h"
#include "cli/run/witness_calls.h"
#include "cli/shell_words.h"
#include "job/job_aspects.h"
#include "learn/linear/task_factory.h"
#include "model/zoo.h"
#include "orchestrator/history/run_folder.h"
#include "plan/words.h"
#include "runtime/coordinator/coordinator.h"
#include "runtime/coordinator/process_launcher.h"
#include "runtime/coordinator/run_outputs.h"
#include "runtime/invitation/invitation_list.h"

namespace surety::cli {
namespace {

using namespace certificate;
using namespace job;
using namespace orchestrator;

// Minimum time between two updates of the files of a running run. Readers do not poll more often.
constexpr double kOutputsEveryS = 0.2;

// States the promise, for the user who decides whether the run continues.
std::string measured_text(const RunState& state, const std::string& folder) {
  const StatedPromise& stated = *state.record.stated;
  return fmt::format(
      "The promise can be kept ({}, {}) with a probability of {}: {}.\n"
      "The cost so far is {}, and {} more is expected on average. The deadline is not moved by the "
      "pause: {} are left.\n"
      "continue with:  surety run --resume --out {}\n",
      state.record.job, state.record.run, chance_words(stated.probability), stated.argument,
      money(total_cost(state.record)), money(stated.cost_mean),
      time_words(std::max(0.0, state.record.deadline_s - state.time_s)), shell_word(folder));
}

// Explains why a run did not reach its end. Does not suggest resuming a run that would fail in the
// same way again.
std::string stopped_text(const Finish& finish, const RunState& state, const std::string& folder) {
  if (finish.ending == Ending::kBadInput || finish.ending == Ending::kTakenOver) {
    return fmt::format("error: {}\n", finish.reason);
  }
  const bool has_trained = !state.passes.empty();
  const char* advice = has_trained ? "no checkpoint is left; train again"
                                   : "no checkpoint has been written yet; begin this run again";
  if (!has_trained && !state.profile_runs.done.empty()) {
    advice = "the profile runs that have ended are kept; continue";
  }
  if (awaits_second_measurement(state)) {
    advice = "the result is certified; only its second measurement is missing; make it";
  } else if (orchestrator::newest_checkpoint(state)) {
    advice = "the checkpoints are kept; continue from the newest one";
  }
  return fmt::format("{}: {}\n{} with:  surety {} --resume --out {}\n",
                     finish.ending == Ending::kFailed ? "error" : "stopped", finish.reason, advice,
                     name_of(state.beginning.mode), shell_word(folder));
}

// The record so far as JSON. A paused run has no verdict yet.
std::string json_of(const Finish& finish, const RunState& state) {
  const std::string text = to_json(state.record);
  if (finish.ending != Ending::kPaused) return text;
  auto record = nlohmann::ordered_json::parse(text);
  record["verdict"] = "paused";
  return record.dump(2);
}

// The warnings about the data are repeated: they may be the reason of a bad result, or say why a
// good one is worth little.
std::string warnings_text(const RunRecord& record) {
  std::string out;
  for (const std::string& warning : record.warnings) {
    out += fmt::format("  warning: {}\n", plain_text(warning, kMessageBytesMax));
  }
  return out;
}

void print_result(const RunOptions& options, const PreparedRun& run, const Finish& finish,
                  const RunState& state) {
  if (finish.ending == Ending::kPaused) {
    fmt::print(options.json ? stderr : stdout, "{}", measured_text(state, run.folder.string()));
  } else if (finish.ending != Ending::kComplete) {
    print_message(stopped_text(finish, state, run.folder.string()));
  }
  if (options.json) {
    std::puts(json_of(finish, state).c_str());
  } else if (finish.ending != Ending::kComplete) {
    return;
  } else if (state.beginning.mode == orchestrator::RunMode::kProfile) {
    // A resumed run may be named by its folder.
    std::error_code error;
    const bool names_job =
        options.job_file && std::filesystem::is_regular_file(*options.job_file, error);
    const std::string profile = (run.folder / run_folder::kProfile).string();
    const std::string job = names_job ? shell_word(*options.job_file) + set_options(options.sets)
                                      : shell_word((run.folder / run_folder::kJob).string());
    fmt::print("profile: {} points of {} runs in {}, cost {}\nnext:  surety plan {} --profile {}\n",
               state.profile_runs.finished.curves.size(), state.profile_runs.done.size(), profile,
               money(certificate::total_cost(state.record)), job, shell_word(profile));
  } else {
    std::string model = linear_summary(state, run.config, run.folder);
    const std::filesystem::path file = run.folder / run_folder::kModel;
    if (model.empty() && std::filesystem::exists(file)) {
      model = fmt::format("model:       {}\n", file.string());
    }
    fmt::print("{}{}\n{}report:      {}\n", summary(state.record), warnings_text(state.record),
               model, (run.folder / run_folder::kReport).string());
  }
}

// Returns " --type on-demand|spot": with several node types, a worker should say which one it is.
std::string type_option(const ClusterSpec& cluster) {
  if (cluster.nodes.size() == 1) return "";
  std::string names;
  for (const NodeTypeSpec& type : cluster.nodes) {
    names += fmt::format("{}{}", names.empty() ? "" : "|", type.name);
  }
  return " --type " + names;
}

runtime::WorkerProcesses worker_processes(const RunOptions& options, const PreparedRun& run,
                                          Progress& progress) {
  runtime::WorkerProcesses workers;
  workers.slurm = run.slurm;
  // On a node of an allocation, `surety worker` itself finds out whether it needs libtorch.
  workers.is_surety = run.slurm || model::is_linear(run.config.job.model.zoo);
  workers.program = sibling_program(workers.is_surety ? "surety" : "surety-worker");
  if (run.before) workers.token = run.before->token;
  if (options.token) workers.token = *options.token;
  if (options.listen) {
    workers.listen = options.listen;
  } else if (run.before) {
    workers.last_address = run.before->address;
  }
  workers.on_listening = [&](const std::string& address, const std::string& token) {
    const std::filesystem::path file = run.folder / run_folder::kToken;
    const auto written = posix::write_secret_file(file, token);
    if (awaits_second_measurement(run.state)) return;  // It needs no workers.
    progress.line(run.state.time_s,
                  fmt::format("run {}; more workers can join: surety worker{} --join {} "
                              "--token-file {}{}",
                              run.folder.string(), type_option(run.config.job.cluster), address,
                              file.string(),
                              written ? "" : " (not written: " + written.error().message + ")"));
    if (address.starts_with(posix::kUnixPrefix)) return;
    progress.line(run.state.time_s, fmt::format("to invite another machine: surety invite {} NAME",
                                                shell_word(run.folder.string())));
  };
  return workers;
}

runtime::CoordinatorOptions coordinator_options(const RunOptions& options, const PreparedRun& run,
                                                Progress& progress, runtime::RunOutputs& outputs) {
  runtime::CoordinatorOptions coordinator;
  coordinator.folder = run.folder;
  if (runs_in_process(run.config.job)) {
    coordinator.workers = runtime::WorkerInside{learn::glm_only()};
  } else {
    coordinator.workers = worker_processes(options, run, progress);
  }
  coordinator.config = run.config;
  coordinator.config.checkpoints_folder =
      std::filesystem::absolute(run.folder / run_folder::kCheckpoints).string();
  coordinator.config.measures_only = options.measure_only;
  coordinator.measuring_program = measuring_program(run.config.job);
  coordinator.lease_holder = run.lease_holder.get();
  coordinator.state = run.state;
  coordinator.started_unix_s = run.started_unix_s;
  coordinator.on_progress = [&, next_s = 0.0](const JobMachine& machine, double now_s) mutable {
    progress.update(machine, now_s);
    if (now_s < next_s) return;
    next_s = now_s + kOutputsEveryS;
    // A full disk does no harm here: these files are written again at the end of the run, or by
    // verify.
    (void)outputs.update(machine.state());
  };
  coordinator.on_line = [&](double now_s, const std::string& text, bool detail) {
    progress.line(now_s, text, detail);
  };
  return coordinator;
}

// Coordinates until the run ends or the leadership is lost.
Result<runtime::CoordinatorResult> coordinate(const RunOptions& options, PreparedRun& run,
                                              Progress& progress, runtime::RunOutputs& outputs) {
  if (run.state.end) {
    // The coordinator crashed after it had written the last record, before it could end its
    // workers.
    runtime::ProcessLauncher({.folder = std::filesystem::canonical(run.folder)}).end_remaining();
    return runtime::CoordinatorResult{
        .finish = Finish{.ending = Ending::kComplete, .reason = run.state.end->reason()},
        .state = run.state};
  }
  runtime::CoordinatorOptions coordinator = coordinator_options(options, run, progress, outputs);
  if (std::holds_alternative<runtime::WorkerInside>(coordinator.workers)) {
    progress.line(run.state.time_s,
                  fmt::format("run {}; its worker runs in this process", run.folder.string()));
  }
  Result<runtime::CoordinatorResult> ran =
      runtime::run_coordinator(std::move(coordinator), *run.journal);
  if (ran) return ran;
  return fail_in(ran.error(), "run {} (resume it with --resume)", run.folder.string());
}

// Signs the files of a run that is complete, if its journal is signed.
Result<void> sign_files(const PreparedRun& run, const runtime::RunOutputs& outputs) {
  if (run.journal && run.journal->key()) {
    return runtime::sign_results(run.folder, *run.journal->key(), run.journal->head(),
                                 outputs.results());
  }
  if (!run.ended) return {};
  return runtime::sign_results(run.folder, run.ended->first, run.ended->second, outputs.results());
}

Result<int> finish_run(const RunOptions& options, PreparedRun& run, runtime::RunOutputs& outputs,
                       WitnessCalls& witnesses, const Finish& finish, const RunState& state) {
  // A run that had already ended is reported again, but adds nothing to the library a second time.
  const bool had_ended = std::filesystem::exists(run.folder / run_folder::kCertificate);
  if (finish.ending == Ending::kComplete) {
    Result<void> written = outputs.finish(state, run.config);
    // Records of a run that had already ended.
    if (written && run.journal) written = run.journal->sync();
    if (written) written = sign_files(run, outputs);
    if (!written) {
      return fail(ErrorCode::kUnavailable,
                  "the run has ended ({}), but its files could not be written: {}\n"
                  "nothing is lost: remove the cause, then write the files with:  surety {} "
                  "--resume --out {}",
                  name_of(verdict(state.record)), written.error().message,
                  name_of(state.beginning.mode), shell_word(run.folder.string()));
    }
    runtime::remove_coordinator_file(run.folder);
    runtime::InvitationList(run.folder).clear();
    std::error_code ignored;
    std::filesystem::remove(run.folder / run_folder::kToken, ignored);
    if (run.journal) SURETY_TRY(run.journal->publish());
  }
  const int code = exit_code(finish.ending, state);
  if (run.lease_holder) {
    const Result<bool> notified =
        run.lease_holder->end({.exit_code = code, .reason = finish.reason});
    if (!notified) {
      print_message(fmt::format("the standby could not be notified that the run has ended: {}\n",
                                notified.error().message));
    }
  }
  print_result(options, run, finish, state);
  const bool is_over = finish.ending == Ending::kComplete || finish.ending == Ending::kPaused;
  if (is_over) witnesses.finish();
  // This comes last, because it evaluates all passes again, which may take seconds.
  if (finish.ending == Ending::kComplete && !had_ended) add_to_library(run.config, state);
  return code;
}

// Called when the leadership is lost because etcd was unreachable or because this process was
// stopped. The next leader continues the run. Returns nothing if that is this process again, and
// otherwise the exit code.
Result<std::optional<int>> lead_again(const RunOptions& options, PreparedRun& run,
                                      Progress& progress) {
  const auto log = [&](const std::string& line) { progress.line(run.state.time_s, line); };
  const std::string lease = format_duration(from_seconds(run.config.job.coordinator.lease_s));
  log(
      fmt::format("etcd has received nothing from this coordinator for {}: this coordinator has "
                  "stopped, and its workers wait",
                  lease));
  run.journal.reset();
  join_election(run);
  switch (wait_for_leadership(run, Candidacy::Aim::kReturn, log)) {
    case Candidacy::Step::kLead:
      SURETY_TRY(take_over_run(run));
      return std::nullopt;
    case Candidacy::Step::kOtherLeads:
      print_message(
          fmt::format("error: {} leads {} now: it took over because this coordinator had been "
                      "silent for {}; this coordinator has written nothing since then\n",
                      text_of(*run.lease_holder->view().leader), run.folder.string(), lease));
      return kTakenOver;
    case Candidacy::Step::kOver: {
      SURETY_TRY(const int code, report_end(options, run, *run.lease_holder->view().end));
      return code;
    }
    default:  // A signal has stopped the waiting.
      break;
  }
  print_message(
      fmt::format("stopped: the run was waiting for etcd\n"
                  "all checkpoints are kept; continue with:  surety {} --resume --out {}\n",
                  name_of(run.state.beginning.mode), shell_word(run.folder.string())));
  return kInterrupted;
}

}  // namespace

Result<int> lead_run(const RunOptions& options, PreparedRun& run) {
  const JobConfig& config = run.config;
  runtime::RunOutputs outputs(run.folder,
                              aspects_of(config.job, config.sources, config.validation));
  Progress progress(
      {.quiet = options.quiet || options.json,
       .verbose = options.verbose,
       .log = run.state.end ? std::nullopt : std::optional(run.folder / run_folder::kLog),
       .terminal = ::isatty(STDERR_FILENO) == 1});
  if (!run.state.end) progress.resume_after(run.state);
  if (auto remark = loss_remark(config.job)) run.remarks.push_back(*std::move(remark));
  for (const std::string& remark : run.remarks) {
    if (options.json) print_message(fmt::format("{}\n", remark));
    progress.line(run.state.time_s, remark);
  }
  WitnessCalls witnesses(run.folder, config.job.record.witnesses);
  while (true) {
    SURETY_TRY(const runtime::CoordinatorResult result,
               coordinate(options, run, progress, outputs));
    if (result.finish) {
      return finish_run(options, run, outputs, witnesses, *result.finish, result.state);
    }
    run.state = result.state;
    SURETY_TRY(const std::optional<int> code, lead_again(options, run, progress));
    if (code) return *code;
  }
}

Result<int> report_end(const RunOptions& options, PreparedRun& run, const RunEnd& end) {
  SURETY_TRY(const ReadRun found, read_run(run.folder));
  Finish finish{.reason = end.reason};
  if (!found.state.end) finish.ending = ending_with(end.exit_code);
  print_result(options, run, finish, found.state);
  return found.state.end ? exit_code(finish.ending, found.state) : end.exit_code;
}

}  // namespace surety::cli
