#include "cli/run/run_start.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "base/posix/utc.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/output.h"
#include "cli/run/data_warnings.h"
#include "cli/run/library.h"
#include "cli/run/measure_again.h"
#include "cli/run/mode_checks.h"
#include "cli/run/read_run.h"
#include "cli/run/run_choice.h"
#include "cli/run/run_data.h"
#include "cli/run/run_leadership.h"
#include "job/job.h"
#include "job/job_aspects.h"
#include "job/job_labels.h"
#include "model/zoo.h"
#include "orchestrator/history/continuation.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/stages/plan_by_hand.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/check/plan_check.h"
#include "plan/files/plan_io.h"
#include "protocol/messages.h"
#include "runtime/control/control_server.h"
#include "runtime/files/keys.h"
#include "runtime/job/job_setup.h"
#include "runtime/version.h"

namespace surety::cli {
namespace {

using namespace job;
using namespace orchestrator;
using namespace protocol;

// Large data sets take minutes to read, and nothing else is printed until they are read.
runtime::DataWatch progress_of_reading(const RunOptions& options) {
  if (options.quiet || options.json) return {};
  static constexpr Duration kSilence = std::chrono::seconds(4);
  const Time began = posix::now();
  return [began, last_printed = began](const std::string& data_set, std::uint64_t samples) mutable {
    const Time now = posix::now();
    if (now - last_printed < kSilence) return;
    last_printed = now;
    print_message(fmt::format("{:>7.1f}s  reading data set {}: {} samples so far\n",
                              to_seconds(now - began), data_set, samples));
  };
}

// A plan of a planner claims a probability and a cost. These claims are computed again. Otherwise
// numbers that somebody changed in the file would appear in the certificate. The reader has already
// refused plans of a planner without claims.
Result<void> check_claims(const std::string& file, const plan::Plan& plan,
                          const JobConfig& config) {
  const plan::Instance instance =
      plan_instance(config.job, config.sources, 1, config.job.promise.deadline_s);
  const std::vector<std::string> errors = plan::check::check_plan(
      instance, plan, {.deadline_is_point_in_time = config.job.deadline_unix_s.has_value()});
  if (errors.empty()) return {};
  if (!plan.claims) {
    return fail(ErrorCode::kInvalidInput, "{}: {}; change the plan or the job", file,
                fmt::join(errors, "; "));
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: the claims of the plan do not follow from its own laws: {}. The file "
              "or the job was changed after the plan was made; make it again with  surety plan",
              file, fmt::join(errors, "; "));
}

Result<plan::Plan> chosen_plan(const RunOptions& options, const JobConfig& config) {
  const Job& job = config.job;
  if (!options.plan_file) return plan_by_hand(job);
  const std::string& name = *options.plan_file;
  SURETY_TRY(const std::string text, posix::read_file(name, plan::kPlanBytesMax));
  SURETY_TRY(plan::PlanFile file, plan::plan_file_from_json(name, text));
  SURETY_TRY(plan::check_plan_made_for(name, file.made_for,
                                       aspects_of(job, config.sources, config.validation)));
  if (auto* plan = std::get_if<plan::Plan>(&file.decision)) {
    if (const auto known = check_plan_names(*plan, job); !known) {
      return fail(ErrorCode::kInvalidInput, "{}: plan.{}", name, known.error().message);
    }
    SURETY_TRY(check_claims(name, *plan, config));
    return std::move(*plan);
  }
  return fail(ErrorCode::kInfeasible, "{}: found a refusal, expected a plan: {}", name,
              std::get<plan::Infeasible>(file.decision).reason);
}

proto::JournalRecord began(const RunOptions& options, const PreparedRun& run) {
  proto::JournalRecord record;
  proto::RunBegan& fact = *record.mutable_run_began();
  const Job& job = run.config.job;
  fact.set_run(run.folder.filename().string());
  fact.set_job_text(job.text);
  fact.set_job_file(std::filesystem::absolute(*options.job_file).string());
  fact.set_started(posix::utc(run.started_unix_s));
  fact.set_started_unix_s(run.started_unix_s);
  fact.set_deadline_s(job.deadline_unix_s ? *job.deadline_unix_s - run.started_unix_s
                                          : job.promise.deadline_s);
  fact.set_mode(orchestrator::name_of(options.mode));
  if (run.config.chunks_for_workers) fact.set_chunks_for_workers(*run.config.chunks_for_workers);
  for (const data::SourceInfo& source : run.config.sources) *fact.add_sources() = to_proto(source);
  if (run.config.validation) *fact.mutable_validation() = to_proto(*run.config.validation);
  fact.set_negative_label(negative_label(run.config.sources));
  for (std::string& name : data::feature_names(run.config.sources)) {
    fact.add_feature_names(std::move(name));
  }
  for (const std::string& warning : run.warnings) fact.add_warnings(warning);
  (*fact.mutable_versions())["surety"] = runtime::kVersion;
  (*fact.mutable_versions())["machine"] =
      fmt::format("{} cores, {}", posix::usable_cores(), posix::host_name());
  return record;
}

// Warnings contain names of columns and files.
void add_warnings(PreparedRun& run) {
  for (const std::string& warning : data_warnings(run.config)) {
    run.warnings.push_back(plain_text(warning, kMessageBytesMax));
    run.remarks.push_back("warning: " + run.warnings.back());
  }
}

// Protobuf writes a text that is not UTF-8, and refuses to read it.
Result<void> check_can_be_read_again(const proto::JournalRecord& record) {
  if (proto::JournalRecord().ParseFromString(record.SerializeAsString())) return {};
  const proto::RunBegan& fact = record.run_began();
  const std::string library =
      fact.library().empty() ? "" : fmt::format(", library {}", fact.library());
  return fail(
      ErrorCode::kInvalidInput,
      "found a byte that is not UTF-8 in the path of the job file, of the working folder or "
      "of the profile library, or in a name of the data, expected UTF-8 text: job file {}",
      plain_text(fact.job_file() + library, kMessageBytesMax));
}

runtime::JournalKey journal_key(const proto::RunBegan& began, record::Signer signer) {
  return {record_origin(began.run(), began.started_unix_s()), std::move(signer)};
}

// Decides how the journal of an earlier coordinator is continued. Adds its remark to `run`.
runtime::OpeningRule opening_rule(PreparedRun& run, std::optional<record::Signer> own) {
  return [&run, own = std::move(own)](
             const JournalContents& contents,
             const std::optional<record::Note>& head) -> Result<runtime::Opening> {
    const auto verifier = own ? std::optional(own->verifier()) : std::nullopt;
    SURETY_TRY(const Continuation next,
               continuation_of(contents.records, contents.leaves, head, verifier));
    if (next.remark) run.remarks.push_back(*next.remark);
    runtime::Opening opening{.kept = next.kept};
    if (next.is_signed) opening.key = journal_key(contents.records.front().run_began(), *own);
    return opening;
  };
}

// Returns false if the coordinator of the run was lost before it had signed the end. If true, only
// the files of the run are written again.
// REQUIRES: the run has ended.
Result<bool> has_signed_end(const ReadRun& found, PreparedRun& run) {
  SURETY_TRY(const auto own, runtime::read_signer(runtime::default_keys()));
  SURETY_TRY(const auto head, runtime::read_signed_head(run.folder / run_folder::kJournal));
  const auto verifier = own ? std::optional(own->verifier()) : std::nullopt;
  SURETY_TRY(const Continuation next, continuation_of(found.records, found.leaves, head, verifier));
  if (next.kept < found.records.size()) return false;
  if (next.is_signed) {
    run.ended.emplace(journal_key(found.records.front().run_began(), *own),
                      record::TreeHead{found.leaves.size(), record::root_of(found.leaves)});
  }
  return true;
}

Result<void> find_allocation(Job& job, PreparedRun& run) {
  if (!job.cluster.slurm) return {};
  SURETY_TRY(run.slurm, runtime::slurm_job());
  return runtime::fit_to_allocation(*run.slurm, job);
}

// Checks the folder for the workers on this machine before anything starts.
Result<void> check_spill(const ClusterSpec& cluster) {
  if (!cluster.spill || cluster.slurm || cluster.local() == 0) return {};
  if (auto memory = posix::SpillMemory::create(*cluster.spill); !memory) {
    return fail_in(memory.error(), "cluster.spill");
  }
  return {};
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  // The journal contains the path as text.
  if (const std::string path = std::filesystem::absolute(folder, error).string();
      first_byte_not_utf8(path)) {
    return fail(ErrorCode::kInvalidInput,
                "--out {}: found a byte that is not UTF-8, expected a folder with a UTF-8 path",
                plain_text(path, kMessageBytesMax));
  }
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(ErrorCode::kInvalidInput, "--out {}: {}", folder.string(), error.message());
}

// A resumed run prints nothing else until it has computed the decisions about its passes again.
void warn_of_long_replay(PreparedRun& run, std::size_t records) {
  constexpr std::size_t kManyPasses = 200;
  const RunState& state = run.state;
  if (state.passes.size() < kManyPasses || state.attempts.begun.empty()) return;
  // After its deadline, a run only certifies what it has.
  if (posix::unix_seconds() - run.started_unix_s > state.record.deadline_s) return;
  run.remarks.push_back(
      fmt::format("continuing from {} records of the journal: the decisions about {} of {} are "
                  "computed again from the journal first; this may take some seconds",
                  records, counted(state.passes.size(), "pass"),
                  counted(state.attempts.begun.size(), "attempt")));
}

// The model of a certified result may be lost before the second measurement. Then the run goes on
// without this result. `records` have the present places of the checkpoints.
Result<void> drop_lost_result(PreparedRun& run, const std::vector<proto::JournalRecord>& records) {
  if (!awaits_second_measurement(run.state)) return {};
  const std::string folder = run.state.record.certified->checkpoint;
  const proto::CheckpointCommitted* committed = committed_at(records, folder);
  if (committed == nullptr) return {};
  const auto model = certified_model(*committed);
  if (model || model.error().code != ErrorCode::kCorrupt) return {};
  proto::JournalRecord dropped;
  dropped.set_run_s(run.state.time_s);
  dropped.mutable_checkpoint_dropped()->set_folder(folder);
  dropped.mutable_checkpoint_dropped()->set_reason(model.error().message);
  const Job& job = run.config.job;
  SURETY_TRY(apply(run.state, dropped, job.cluster, job.promise.metric));
  run.remarks.push_back(
      fmt::format("the certified model is lost ({}), so the run goes on without this result",
                  model.error().message));
  return run.journal->append(dropped);
}

// Restores the run's state from its journal, and records that this process leads from now on. For a
// run that continues, the paths of checkpoints follow the folder's present place. The state of a
// run that has ended is exactly what its journal says.
Result<void> replay_journal(PreparedRun& run, std::vector<proto::JournalRecord> records) {
  const Job& job = run.config.job;
  run.state = initial_state(job);
  const bool has_ended = !records.empty() && records.back().has_run_ended();
  const std::string checkpoints =
      std::filesystem::absolute(run.folder / run_folder::kCheckpoints).string();
  for (proto::JournalRecord& record : records) {
    if (!has_ended) locate_checkpoints(record, checkpoints);
  }
  SURETY_TRY(replay(run.state, job, records, run.folder / run_folder::kJournal));
  if (run.state.end) return {};
  if (ended_before_its_plan(run.state)) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: the journal ends before the plan that the run follows: the run was ended before its "
        "training began, and nothing is lost. Begin it again with another --out, without --resume",
        (run.folder / run_folder::kJournal).string());
  }
  // This may fail, and a run that was not resumed must leave no record about it.
  SURETY_TRY(run.before, runtime::read_coordinator_file(run.folder));
  warn_of_long_replay(run, records.size());
  // The last coordinator's clock may have been ahead of ours; the run's time only grows.
  run.started_unix_s = std::min(run.started_unix_s, posix::unix_seconds() - run.state.time_s);
  proto::JournalRecord resumed;
  resumed.set_run_s(posix::unix_seconds() - run.started_unix_s);
  resumed.mutable_run_resumed()->set_term(run.state.term + 1);
  SURETY_TRY(apply(run.state, resumed, job.cluster, job.promise.metric));
  SURETY_TRY(run.journal->append(resumed));
  return drop_lost_result(run, records);
}

// A run removes the checkpoints that it does not need, so the folder must not have others.
Result<void> check_no_checkpoints(const std::filesystem::path& run) {
  const std::filesystem::path checkpoints = run / run_folder::kCheckpoints;
  std::error_code error;
  if (!std::filesystem::exists(checkpoints, error) ||
      std::filesystem::is_empty(checkpoints, error)) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: found a folder with contents, expected none: a run writes its checkpoints there "
              "and removes those that it does not need; choose another folder with --out",
              checkpoints.string());
}

Result<void> set_up_again(const ReadRun& found, PreparedRun& run,
                          const runtime::DataWatch& watch = {}) {
  const proto::RunBegan& fact = found.records.front().run_began();
  Job job = found.job;
  SURETY_TRY(find_allocation(job, run));
  SURETY_TRY(run.config, runtime::set_up(job, fact.chunks_for_workers(), watch));
  if (!found.state.end) SURETY_TRY(check_run_data(found.state, run.config));
  run.config.mode = found.state.beginning.mode;
  run.started_unix_s = fact.started_unix_s();
  run.state = found.state;
  return {};
}

// States how much a run can lose if the end of its journal is lost.
std::string resume_point_text(const RunState& state) {
  if (state.checkpoints.empty())
    return "The run has no checkpoint yet, so training starts from the beginning";
  const proto::CheckpointCommitted& newest = state.checkpoints.back();
  return fmt::format(
      "The run continues from its checkpoints, the newest of which is of {}pass {}; later passes "
      "are repeated",
      newest.has_attempt() ? fmt::format("attempt {}, ", newest.attempt()) : "", newest.pass());
}

}  // namespace

bool runs_in_process(const Job& job) {
  return model::is_linear(job.model.zoo) && job.cluster.one_worker() && !job.coordinator.standby;
}

Result<void> begin_run(const RunOptions& options, PreparedRun& run) {
  const std::string& job_file = *options.job_file;
  std::vector<std::string> sets = options.sets;
  if (options.best_effort) sets.emplace_back("promise.best_effort=on");
  run.started_unix_s = posix::unix_seconds();
  // The time that is left until a deadline counts from the same moment as the run.
  SURETY_TRY(Job job, runtime::read_job(job_file, sets, run.started_unix_s));
  SURETY_TRY(find_allocation(job, run));
  SURETY_TRY(check_mode(job_file, job, options.mode));
  if (options.measure_only && !has_pool(job)) {
    return fail(
        ErrorCode::kInvalidInput,
        "--measure-only cannot be used with a job that has profile.data_fractions below 1, because "
        "surety run does not train it as a pool of attempts; use surety profile and surety plan "
        "instead");
  }
  SURETY_TRY(auto own, runtime::read_signer(runtime::default_keys()));
  if (!own && !job.record.witnesses.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: record.witnesses is set, but there is no key: a witness signs only runs that "
                "their owner has signed; make a key with  surety keys init",
                job_file);
  }
  Result<JobConfig> config = runtime::set_up(job, {}, progress_of_reading(options));
  if (!config) return fail_in(config.error(), "{}", job_file);
  run.config = *std::move(config);
  run.config.mode = options.mode;
  add_warnings(run);
  SURETY_TRY(check_memory(job_file, run.config));
  if (options.mode == orchestrator::RunMode::kTrain) {
    SURETY_TRY(run.config.plan, chosen_plan(options, run.config));
  }
  if (job.cluster.listen) SURETY_TRY(runtime::check_listen(*job.cluster.listen));
  SURETY_TRY(check_spill(job.cluster));
  run.folder = options.out ? std::filesystem::path(*options.out) : fresh_folder(job.name);
  SURETY_TRY(check_no_checkpoints(run.folder));
  run.state = initial_state(job);
  proto::JournalRecord record = began(options, run);
  if (options.mode == orchestrator::RunMode::kRun && has_pool(job) && job.profile.library) {
    SURETY_TRY(learn_from_library(options, run, *record.mutable_run_began()));
  }
  SURETY_TRY(check_can_be_read_again(record));
  std::optional<runtime::JournalKey> key;
  if (own) {
    proto::RunBegan& began = *record.mutable_run_began();
    began.set_signer(own->verifier().text());
    run.remarks.push_back(fmt::format("the record of this run is signed by {}", own->name));
    key = journal_key(began, *std::move(own));
  }
  SURETY_TRY(apply(run.state, record, job.cluster, job.promise.metric));
  SURETY_TRY(acquire_leadership(run));
  posix::count_stop_signals();  // From here on the run exists, and a signal ends it in order.
  SURETY_TRY(make_folder(run.folder));
  SURETY_TRY(run.journal,
             runtime::JournalFile::create(run.folder / run_folder::kJournal, std::move(key)));
  return run.journal->append(record);
}

namespace {

// Reads the run that is to be resumed, and returns its folder, too. The user may name the folder in
// place of the job file. If there is a job file, the run must be of this job.
Result<ReadRun> find_run(const RunOptions& options, std::filesystem::path& folder) {
  std::error_code error;
  const bool names_folder =
      !options.out && options.job_file && std::filesystem::is_directory(*options.job_file, error);
  std::optional<std::string> job_name;
  if (!names_folder && options.job_file) {
    SURETY_TRY(const Job job, runtime::read_job(*options.job_file, {}));
    job_name = job.name;
  }
  if (names_folder) {
    folder = *options.job_file;
  } else if (options.out) {
    folder = *options.out;
  } else {
    SURETY_TRY(folder, newest_unfinished_folder(job_name));
  }
  SURETY_TRY(ReadRun found, read_run(folder));
  if (job_name && found.job.name != *job_name) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found a run of the job '{}', expected one of '{}' ({}). Leave out the job "
                "file, or name a folder of this job",
                folder.string(), found.job.name, *job_name, *options.job_file);
  }
  return found;
}

}  // namespace

Result<void> resume_run(const RunOptions& options, PreparedRun& run) {
  if (!options.sets.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "--set {} cannot be used with --resume: a resumed run keeps the job that it began "
                "with; start a new run without --resume",
                options.sets.front());
  }
  if (options.best_effort) {
    return fail(ErrorCode::kInvalidInput,
                "--best-effort cannot be used with --resume: a resumed run keeps the job that it "
                "began with");
  }
  if (options.library) {
    return fail(ErrorCode::kInvalidInput,
                "--library {} cannot be used with --resume: a resumed run keeps the results of "
                "earlier jobs that it began with",
                *options.library);
  }
  if (options.plan_file) {
    return fail(
        ErrorCode::kInvalidInput,
        "--plan {} cannot be used with --resume: a resumed run keeps the plan that it began "
        "with",
        *options.plan_file);
  }
  SURETY_TRY(const ReadRun found, find_run(options, run.folder));
  if (const std::string torn = torn_words(found); !torn.empty()) {
    run.remarks.push_back(torn + "; these bytes are removed. " +
                          (found.state.end ? "The run has ended" : resume_point_text(found.state)));
  }
  if (found.job.coordinator.standby) {
    SURETY_TRY(set_up_again(found, run, progress_of_reading(options)));
    if (run.state.end) {
      SURETY_TRY(const bool is_over, has_signed_end(found, run));
      if (is_over) {
        posix::count_stop_signals();
        return {};
      }
    }
    SURETY_TRY(acquire_leadership(run));
    posix::count_stop_signals();
    return take_over_run(run);
  }
  std::vector<proto::JournalRecord> records;
  SURETY_TRY(auto own, runtime::read_signer(runtime::default_keys()));
  SURETY_TRY(run.journal, runtime::JournalFile::open(run.folder / run_folder::kJournal, records,
                                                     opening_rule(run, std::move(own))));
  SURETY_TRY(set_up_again(found, run, progress_of_reading(options)));
  posix::count_stop_signals();
  return replay_journal(run, std::move(records));
}

Result<void> prepare_takeover(const std::filesystem::path& folder, PreparedRun& run) {
  run.folder = folder;
  SURETY_TRY(const ReadRun found, read_run(folder));
  return set_up_again(found, run);
}

Result<void> take_over_run(PreparedRun& run) {
  std::vector<proto::JournalRecord> records;
  SURETY_TRY(auto own, runtime::read_signer(runtime::default_keys()));
  SURETY_TRY(run.journal,
             runtime::JournalFile::take_over(
                 run.folder / run_folder::kJournal, [&] { return run.lease_holder->leads(); },
                 records, opening_rule(run, std::move(own))));
  return replay_journal(run, std::move(records));
}

}  // namespace surety::cli
