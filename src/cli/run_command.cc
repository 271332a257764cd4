// surety run, profile, train: the commands that need workers.
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "cli/commands.h"
#include "cli/linear_summary.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_choice.h"
#include "learn/task.h"
#include "learn/task_factory.h"
#include "model/zoo.h"
#include "orchestrator/job_check.h"
#include "orchestrator/plan_instance.h"
#include "orchestrator/run_folder.h"
#include "plan/files/plan_io.h"
#include "runtime/control_server.h"
#include "runtime/coordinator.h"
#include "runtime/coordinator_file.h"
#include "runtime/job_setup.h"
#include "runtime/process_launcher.h"
#include "runtime/run_outputs.h"
#include "runtime/version.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

// Who looks at the files of a run that goes on does not look more often.
constexpr double kOutputsEveryS = 0.2;

struct RunOptions {
  std::string mode;
  std::string job_file;
  std::vector<std::string> sets;
  std::string out;
  std::string token;
  std::string plan_file;
  bool resume = false, json = false, quiet = false;
};

struct PreparedRun {
  std::filesystem::path folder;
  std::optional<runtime::CoordinatorFile> before;  // Of the coordinator that this one resumes.
  std::optional<runtime::SlurmJob> slurm;
  JobConfig config;
  RunState state;
  double started_unix_s = 0;
};

std::string utc(double unix_s) {
  const auto seconds = static_cast<std::time_t>(unix_s);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// A block that lasts until passes_max, by hand instead of by a plan.
plan::Plan plan_by_hand(const Job& job) {
  plan::Plan plan;
  for (const DataSpec& set : job.data) plan.data.push_back(set.name);
  plan.blocks = {
      {.version = job.model.versions.front(), .passes = job.train.passes_max, .nodes = 0}};
  const bool accuracy = job.promise.metric == plan::Metric::kAccuracy;
  plan.stop_metric = accuracy ? 1 - job.promise.target : job.promise.target;
  plan.reason = "set by hand: no profile, no promise about probability or cost";
  return plan;
}

Result<plan::Plan> chosen_plan(const RunOptions& options, const Job& job) {
  if (options.plan_file.empty()) return plan_by_hand(job);
  SURETY_TRY(const std::string text, posix::read_file(options.plan_file));
  SURETY_TRY(plan::Decision decision, plan::decision_from_json(options.plan_file, text));
  if (auto* plan = std::get_if<plan::Plan>(&decision)) {
    if (const auto known = check_plan_nodes(*plan, job); !known) {
      return fail_in(known.error(), "{}", options.plan_file);
    }
    return std::move(*plan);
  }
  return fail(ErrorCode::kInfeasible, "{}: that is no plan: {}", options.plan_file,
              std::get<plan::Infeasible>(decision).reason);
}

proto::JournalRecord began(const RunOptions& options, const PreparedRun& run) {
  proto::JournalRecord record;
  proto::RunBegan& fact = *record.mutable_run_began();
  const Job& job = run.config.job;
  fact.set_run(run.folder.filename().string());
  fact.set_job_text(job.text);
  fact.set_job_file(std::filesystem::absolute(options.job_file).string());
  fact.set_started(utc(run.started_unix_s));
  fact.set_started_unix_s(run.started_unix_s);
  fact.set_deadline_s(job.deadline_unix_s ? *job.deadline_unix_s - run.started_unix_s
                                          : job.promise.deadline_s);
  fact.set_mode(options.mode);
  fact.set_cut_for(run.config.cut_for);
  (*fact.mutable_versions())["surety"] = runtime::kVersion;
  (*fact.mutable_versions())["machine"] =
      fmt::format("{} cores, {}", posix::usable_cores(), posix::host_name());
  return record;
}

Result<void> append_and_apply(runtime::JournalFile& journal, PreparedRun& run,
                              const proto::JournalRecord& record) {
  SURETY_TRY(apply(run.state, record, run.config.job.cluster, run.config.job.promise.metric));
  return journal.append(record);
}

Result<void> find_allocation(Job& job, PreparedRun& run) {
  if (!job.cluster.slurm) return {};
  SURETY_TRY(run.slurm, runtime::slurm_job());
  return runtime::fit_to_allocation(*run.slurm, job);
}

// One linear model's worker does without libtorch and without a network: it is a thread of this
// process.
bool works_inside(const Job& job) {
  return model::is_linear(job.model.zoo) && job.cluster.one_worker();
}

// On this machine it can be found out before anything starts.
Result<void> check_spill(const ClusterSpec& cluster) {
  if (cluster.spill.empty() || cluster.slurm || cluster.local() == 0) return {};
  if (auto memory = posix::SpillMemory::create(cluster.spill); !memory) {
    return fail_in(memory.error(), "cluster.spill");
  }
  return {};
}

Result<runtime::JournalFile> begin_run(const RunOptions& options, PreparedRun& run) {
  SURETY_TRY(Job job, runtime::read_job(options.job_file, options.sets));
  SURETY_TRY(find_allocation(job, run));
  if (options.mode == "run") {
    SURETY_TRY(check_seeds(options.job_file, job));
  }
  run.started_unix_s = posix::unix_seconds();
  SURETY_TRY(run.config, runtime::set_up(job));
  run.config.mode = options.mode;
  if (options.mode == "train") {
    SURETY_TRY(run.config.plan, chosen_plan(options, job));
  }
  if (!works_inside(job)) SURETY_TRY(runtime::check_listen(job.cluster.listen));
  SURETY_TRY(check_spill(job.cluster));
  run.folder = options.out.empty() ? fresh_folder(job.name) : std::filesystem::path(options.out);
  run.state = initial_state(job);
  std::error_code error;
  std::filesystem::create_directories(run.folder, error);
  if (error)
    return fail(ErrorCode::kInvalidInput, "--out {}: {}", run.folder.string(), error.message());
  SURETY_TRY(runtime::JournalFile journal,
             runtime::JournalFile::create(run.folder / run_folder::kJournal));
  SURETY_TRY(append_and_apply(journal, run, began(options, run)));
  return journal;
}

Result<runtime::JournalFile> resume_run(const RunOptions& options, PreparedRun& run) {
  SURETY_TRY(run.folder, options.out.empty() ? newest_unfinished_folder()
                                             : Result<std::filesystem::path>(options.out));
  std::vector<proto::JournalRecord> records;
  SURETY_TRY(runtime::JournalFile journal,
             runtime::JournalFile::open(run.folder / run_folder::kJournal, records));
  if (records.empty() || !records.front().has_run_began()) {
    return fail(ErrorCode::kCorrupt, "{}: the journal does not say how the run began",
                run.folder.string());
  }
  const proto::RunBegan& fact = records.front().run_began();
  // The deadline was in the future when the run began; it is judged again by the certificate.
  SURETY_TRY(Job job, parse_job(fact.job_file(), fact.job_text(), {}, fact.started_unix_s()));
  SURETY_TRY(find_allocation(job, run));
  SURETY_TRY(run.config, runtime::set_up(job, fact.cut_for()));
  run.config.mode = fact.mode();
  run.started_unix_s = fact.started_unix_s();
  run.state = initial_state(job);
  for (const proto::JournalRecord& record : records) {
    SURETY_TRY(apply(run.state, record, job.cluster, job.promise.metric));
  }
  if (run.state.ended) return journal;
  proto::JournalRecord resumed;
  resumed.set_run_s(posix::unix_seconds() - run.started_unix_s);
  resumed.mutable_run_resumed()->set_epoch(run.state.epoch + 1);
  SURETY_TRY(append_and_apply(journal, run, resumed));
  SURETY_TRY(run.before, runtime::read_coordinator_file(run.folder));
  return journal;
}

int exit_code(const runtime::CoordinatorResult& result) {
  if (result.finish.ending == Ending::kInterrupted) return kInterrupted;
  if (result.finish.ending == Ending::kFailed) return kFailed;
  if (result.state.mode == "profile") return kKept;
  switch (verdict(result.state.record)) {
    case Verdict::kKept:
      return kKept;
    case Verdict::kInfeasible:
      return kInfeasible;
    case Verdict::kMissed:
      return kMissed;
    case Verdict::kStopped:
      return kInterrupted;
  }
  return kFailed;
}

void print_result(const RunOptions& options, const PreparedRun& run,
                  const runtime::CoordinatorResult& result) {
  const bool complete = result.finish.ending == Ending::kComplete;
  if (options.json) {
    std::puts(to_json(result.state.record).c_str());
  } else if (!complete) {
    fmt::print(stderr, "{}: {}\nnothing is lost; go on with:  surety {} --resume --out {}\n",
               result.finish.ending == Ending::kFailed ? "error" : "stopped", result.finish.reason,
               options.mode, run.folder.string());
  } else if (options.mode == "profile") {
    fmt::print("profile: {} points of {} runs in {}\nnext:  surety plan {} --profile {}\n",
               result.state.profile.curves.size(), result.state.profile_done.size(),
               (run.folder / run_folder::kProfile).string(), options.job_file,
               (run.folder / run_folder::kProfile).string());
  } else {
    fmt::print("{}\n{}report:      {}\n", summary(result.state.record),
               linear_summary(result.state, run.config, run.folder),
               (run.folder / run_folder::kReport).string());
  }
}

// " --type on-demand|spot": where there are several types, a worker should say which it is.
std::string type_option(const ClusterSpec& cluster) {
  if (cluster.nodes.size() == 1) return "";
  std::string names;
  for (const NodeTypeSpec& type : cluster.nodes) {
    names += fmt::format("{}{}", names.empty() ? "" : "|", type.name);
  }
  return " --type " + names;
}

// Each coordinator has its own: a worker that was stopped while it wrote for the last one may go on
// to write the file of a pass that was done again since.
std::string checkpoints_folder(const PreparedRun& run) {
  std::filesystem::path folder = std::filesystem::absolute(run.folder / run_folder::kCheckpoints);
  if (run.state.epoch > 1) folder /= fmt::format("coordinator-{}", run.state.epoch);
  return folder.string();
}

runtime::CoordinatorOptions coordinator_options(const RunOptions& options, const PreparedRun& run,
                                                Progress& progress, runtime::RunOutputs& outputs) {
  runtime::CoordinatorOptions coordinator;
  coordinator.folder = run.folder;
  coordinator.config = run.config;
  coordinator.config.checkpoints_folder = checkpoints_folder(run);
  // On a node of an allocation `surety worker` finds out for itself what it needs to train
  // networks.
  coordinator.slurm = run.slurm;
  if (works_inside(run.config.job)) coordinator.inside = learn::glm_only();
  coordinator.worker_is_surety = run.slurm || model::is_linear(run.config.job.model.zoo);
  coordinator.worker_program =
      sibling_program(coordinator.worker_is_surety ? "surety" : "surety-worker");
  coordinator.token = options.token;
  if (run.before && options.token.empty()) coordinator.token = run.before->token;
  if (run.before) coordinator.listen = run.before->address;
  coordinator.state = run.state;
  coordinator.started_unix_s = run.started_unix_s;
  coordinator.on_progress = [&, next_s = 0.0](const JobMachine& machine, double now_s) mutable {
    progress.update(machine, now_s);
    if (now_s < next_s) return;
    next_s = now_s + kOutputsEveryS;
    // A full disk here loses nothing: these files are made again at the end, or by verify.
    (void)outputs.update(machine.state());
  };
  coordinator.on_line = [&](double now_s, const std::string& text) { progress.line(now_s, text); };
  coordinator.on_listening = [&](const std::string& address, const std::string& token) {
    progress.line(
        0, fmt::format("run {}; more workers can join: SURETY_TOKEN={} surety worker{} --join {}",
                       run.folder.string(), token, type_option(run.config.job.cluster), address));
  };
  return coordinator;
}

Result<int> run(const RunOptions& options) {
  posix::count_stop_signals();
  PreparedRun run;
  SURETY_TRY(runtime::JournalFile journal,
             options.resume ? resume_run(options, run) : begin_run(options, run));
  runtime::RunOutputs outputs(run.folder);
  std::optional<runtime::CoordinatorResult> result;
  if (run.state.ended) {
    // Its coordinator was lost between its last record and what follows from the records.
    runtime::ProcessLauncher({.folder = std::filesystem::canonical(run.folder)}).end_left();
    result.emplace();
    result->finish.reason = run.state.ended->reason();  // The ending is kComplete.
    result->state = run.state;
  } else {
    Progress progress(
        {.quiet = options.quiet || options.json, .terminal = ::isatty(STDERR_FILENO) == 1});
    runtime::CoordinatorOptions coordinator = coordinator_options(options, run, progress, outputs);
    if (coordinator.inside) {
      progress.line(0, fmt::format("run {}; its worker is in this process", run.folder.string()));
    }
    Result<runtime::CoordinatorResult> ran =
        runtime::run_coordinator(std::move(coordinator), journal);
    if (!ran) return fail_in(ran.error(), "run {} (resume it with --resume)", run.folder.string());
    result = std::move(*ran);
  }
  if (result->finish.ending == Ending::kComplete) {
    SURETY_TRY(outputs.finish(result->state, run.config));
    runtime::remove_coordinator_file(run.folder);
  }
  print_result(options, run, *result);
  return exit_code(*result);
}

void add_common(CLI::App& command, const std::shared_ptr<RunOptions>& options, Action& chosen) {
  command
      .add_option("job", options->job_file, "The job file (YAML); docs/job-file.md has every key")
      ->type_name("JOB.yaml");
  command
      .add_option("--set", options->sets,
                  "Override a key of the job file: --set promise.target=0.3")
      ->type_name("KEY=VALUE");
  command.add_option("--out", options->out,
                     "Folder of the run (default: runs/NAME-N, the next free N)");
  command.add_option("--token", options->token,
                     "What other machines' workers must say to join (default: a random one)");
  command.add_flag("--resume", options->resume,
                   "Go on with the run in --out, or the newest unfinished one");
  command.add_flag("--json", options->json, "Print the certificate as JSON, and no progress");
  command.add_flag("--quiet", options->quiet, "No progress");
  command.callback([options, &chosen] {
    chosen = [options] {
      if (options->job_file.empty() && !options->resume) {
        return report_error(
            {ErrorCode::kInvalidInput,
             fmt::format("which job? Try: surety {} examples/quickstart.yaml", options->mode)},
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
  options->mode = "run";
  CLI::App& command = *app.add_subcommand("run", "Everything: measure, plan, train, certify");
  add_common(command, options, chosen);
  command.footer(
      "Examples:\n"
      "  surety run examples/quickstart.yaml\n"
      "  surety run examples/mnist.yaml --set data.root=/data --out runs/mnist\n"
      "  surety run --resume                 go on after a crash or Ctrl-C");
}

void add_profile(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  options->mode = "profile";
  CLI::App& command = *app.add_subcommand(
      "profile", "Measure only: how each version learns, how fast nodes and links are");
  add_common(command, options, chosen);
  command.footer(
      "Example:\n  surety profile examples/mnist.yaml --out runs/p1 --set profile.seeds=5");
}

void add_train(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  options->mode = "train";
  CLI::App& command = *app.add_subcommand("train", "Train only, by a plan or by hand-set choices");
  add_common(command, options, chosen);
  command.add_option(
      "--plan", options->plan_file,
      "A plan.json (default: the job's first version until the target or passes_max)");
  command.footer(
      "Examples:\n"
      "  surety train examples/mnist.yaml --plan runs/p1/plan.json\n"
      "  surety train examples/mnist.yaml --set model.versions=[full] --set train.passes_max=5");
}

}  // namespace surety::cli
