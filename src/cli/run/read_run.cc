#include "cli/run/read_run.h"

#include "base/words.h"
#include "job/job_file.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/journal_file.h"

namespace surety::cli {

Result<ReadRun> read_run(const std::filesystem::path& folder) {
  const std::filesystem::path journal = folder / orchestrator::run_folder::kJournal;
  if (!std::filesystem::exists(journal)) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run in this folder (it has no {})",
                folder.string(), orchestrator::run_folder::kJournal);
  }
  ReadRun run;
  SURETY_TRY(orchestrator::JournalContents contents, runtime::read_journal_contents(journal));
  run.records = std::move(contents.records);
  run.leaves = std::move(contents.leaves);
  run.torn_bytes = contents.torn_bytes;
  if (run.records.empty() || !run.records.front().has_run_began()) {
    return fail(ErrorCode::kCorrupt,
                "{}: the record of the run's start is missing: found {} in {} bytes. Restore the "
                "file from a copy, or start a new run",
                journal.string(), counted(run.records.size(), "complete record"),
                contents.valid_bytes + contents.torn_bytes);
  }
  const proto::RunBegan& began = run.records.front().run_began();
  SURETY_TRY(run.job,
             job::parse_job(began.job_file(), began.job_text(), {}, began.started_unix_s()));
  run.state = orchestrator::initial_state(run.job);
  for (const proto::JournalRecord& record : run.records) {
    SURETY_TRY(orchestrator::apply(run.state, record, run.job.cluster, run.job.promise.metric));
  }
  return run;
}

std::string torn_words(const ReadRun& run) {
  if (run.torn_bytes == 0) return {};
  return fmt::format(
      "the journal ends within a record: after {} there are {} bytes of an incomplete one (a "
      "crash, a full disk or a truncated file can cause this)",
      counted(run.records.size(), "complete record"), run.torn_bytes);
}

}  // namespace surety::cli
