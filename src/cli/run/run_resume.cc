#include "cli/run/run_resume.h"

#include <algorithm>

#include "base/posix/clock.h"
#include "base/posix/signals.h"
#include "base/words.h"
#include "cli/run/measure_again.h"
#include "cli/run/read_run.h"
#include "cli/run/run_choice.h"
#include "cli/run/run_data.h"
#include "cli/run/run_leadership.h"
#include "cli/run/run_setup.h"
#include "job/job.h"
#include "orchestrator/history/continuation.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/files/keys.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {
namespace {

using namespace job;
using namespace orchestrator;

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

// A resumed run keeps the settings that it began with.
Result<void> check_no_settings(const RunOptions& options) {
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
  return {};
}

}  // namespace

Result<PreparedRun> resume_run(const RunOptions& options) {
  SURETY_TRY(check_no_settings(options));
  PreparedRun run;
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
        return run;
      }
    }
    SURETY_TRY(acquire_leadership(run));
    posix::count_stop_signals();
    SURETY_TRY(take_over_run(run));
    return run;
  }
  std::vector<proto::JournalRecord> records;
  SURETY_TRY(auto own, runtime::read_signer(runtime::default_keys()));
  SURETY_TRY(run.journal, runtime::JournalFile::open(run.folder / run_folder::kJournal, records,
                                                     opening_rule(run, std::move(own))));
  SURETY_TRY(set_up_again(found, run, progress_of_reading(options)));
  posix::count_stop_signals();
  SURETY_TRY(replay_journal(run, std::move(records)));
  return run;
}

Result<PreparedRun> prepare_takeover(const std::filesystem::path& folder) {
  PreparedRun run;
  run.folder = folder;
  SURETY_TRY(const ReadRun found, read_run(folder));
  SURETY_TRY(set_up_again(found, run));
  return run;
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
