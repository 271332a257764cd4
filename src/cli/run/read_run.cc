#include "cli/run/read_run.h"

#include <cstddef>

#include "base/words.h"
#include "job/job_file.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/files/journal_file.h"

namespace surety::cli {

namespace {

// A run has read each data set of its job, and has cut the data for at least one worker.
Result<void> check_data_named(const ReadRun& run) {
  const std::size_t sets = run.state.beginning.sources.size();
  const std::size_t expected = run.job.data.size() + (run.job.validation ? 1 : 0);
  if (sets != expected) {
    return fail(ErrorCode::kCorrupt, "found {}, expected {} as in the job",
                counted(sets, "data set"), expected);
  }
  if (run.records.front().run_began().chunks_for_workers() > 0) return {};
  return fail(ErrorCode::kCorrupt, "chunks_for_workers: found 0, expected at least 1 worker");
}

}  // namespace

Result<ReadRun> read_run(const std::filesystem::path& folder) {
  const std::filesystem::path journal = folder / orchestrator::run_folder::kJournal;
  if (!std::filesystem::exists(journal)) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: found no run in this folder (it has no {}), expected the folder of a run. If a "
        "run was ended before it began, nothing is lost: begin it again with the same "
        "command",
        folder.string(), orchestrator::run_folder::kJournal);
  }
  ReadRun run;
  SURETY_TRY(orchestrator::JournalContents contents, runtime::read_journal_contents(journal));
  run.records = std::move(contents.records);
  run.leaves = std::move(contents.leaves);
  run.torn_bytes = contents.torn_bytes;
  if (run.records.empty()) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: found no complete record in {}: the run was ended before it began, and nothing "
        "is lost. Begin it again with the same command, or with another --out",
        journal.string(), counted(contents.torn_bytes + contents.valid_bytes, "byte"));
  }
  if (!run.records.front().has_run_began()) {
    return fail(ErrorCode::kCorrupt,
                "{}: the record of the run's start is missing before {}. Restore the file from a "
                "copy, or start a new run",
                journal.string(), counted(run.records.size(), "complete record"));
  }
  const proto::RunBegan& began = run.records.front().run_began();
  SURETY_TRY(run.job,
             job::parse_job(began.job_file(), began.job_text(), {}, began.started_unix_s()));
  run.state = orchestrator::initial_state(run.job);
  SURETY_TRY(replay(run.state, run.job, run.records, journal));
  if (const auto named = check_data_named(run); !named) {
    return fail(ErrorCode::kCorrupt, "{}: {}. Restore the file from a copy", journal.string(),
                named.error().message);
  }
  return run;
}

Result<void> replay(orchestrator::RunState& state, const job::Job& job,
                    const std::vector<proto::JournalRecord>& records,
                    const std::filesystem::path& journal) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Result<void> applied =
        orchestrator::apply(state, records[i], job.cluster, job.promise.metric);
    if (applied) continue;
    return fail(ErrorCode::kCorrupt, "{}: record {}: {}. Restore the file from a copy",
                journal.string(), i + 1, applied.error().message);
  }
  return {};
}

bool ended_before_its_plan(const orchestrator::RunState& state) {
  return state.beginning.mode == orchestrator::RunMode::kTrain && !state.record.plan && !state.end;
}

std::string torn_words(const ReadRun& run) {
  if (run.torn_bytes == 0) return {};
  return fmt::format(
      "the journal ends within a record: after {} there are {} bytes of an incomplete one (a "
      "crash, a full disk or a truncated file can cause this)",
      counted(run.records.size(), "complete record"), run.torn_bytes);
}

}  // namespace surety::cli
