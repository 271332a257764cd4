// What a run needs both when it begins and when it is resumed.
#pragma once

#include "base/result.h"
#include "cli/run/prepared_run.h"
#include "job/job.h"
#include "proto/surety.pb.h"
#include "record/note.h"
#include "runtime/files/journal_file.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {

// Whether the run's one worker is a thread of this process. This needs a linear model (no
// libtorch), one worker (no network), and no standby, which could not continue such a run.
[[nodiscard]] bool runs_in_process(const job::Job& job);

// Prints how far data were read, every four seconds, because nothing else is printed until then.
// Empty if the options ask for silence.
[[nodiscard]] runtime::DataWatch progress_of_reading(const RunOptions& options);

// If the job asks for Slurm: sets the run's allocation, and fits the job to its nodes. Errors:
// those of runtime/slurm/slurm.h.
[[nodiscard]] Result<void> find_allocation(job::Job& job, PreparedRun& run);

// The key that signs the journal of this run.
[[nodiscard]] runtime::JournalKey journal_key(const proto::RunBegan& began, record::Signer signer);

}  // namespace surety::cli
