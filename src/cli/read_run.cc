#include "cli/read_run.h"

#include "orchestrator/job_file.h"
#include "orchestrator/run_folder.h"
#include "runtime/journal_file.h"

namespace surety::cli {

Result<ReadRun> read_run(const std::filesystem::path& folder) {
  const std::filesystem::path journal = folder / orchestrator::run_folder::kJournal;
  if (!std::filesystem::exists(journal)) {
    return fail(ErrorCode::kInvalidInput, "{}: no run is there (it has no {})", folder.string(),
                orchestrator::run_folder::kJournal);
  }
  ReadRun run;
  SURETY_TRY(run.records, runtime::read_journal(journal));
  if (run.records.empty() || !run.records.front().has_run_began()) {
    return fail(ErrorCode::kCorrupt, "{}: it does not say how the run began", journal.string());
  }
  const proto::RunBegan& began = run.records.front().run_began();
  SURETY_TRY(run.job, orchestrator::parse_job(began.job_file(), began.job_text(), {},
                                              began.started_unix_s()));
  run.state = orchestrator::initial_state(run.job);
  for (const proto::JournalRecord& record : run.records) {
    SURETY_TRY(orchestrator::apply(run.state, record, run.job.cluster, run.job.promise.metric));
  }
  return run;
}

}  // namespace surety::cli
