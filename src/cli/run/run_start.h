// How a run begins or is resumed: prepares all data that a coordinator needs, from a job file or
// from the folder of a run.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/run/prepared_run.h"
#include "job/job.h"

namespace surety::cli {

// Whether the run's one worker is a thread of this process. This needs a linear model (no
// libtorch), one worker (no network), and no standby, which could not continue such a run.
[[nodiscard]] bool runs_in_process(const job::Job& job);

// Begin or resume a run. InvalidInput: the options, the job, its data or the folder do not allow
// it. Infeasible: the plan file has a refusal. Corrupt: a file of the resumed run is damaged.
// Unavailable: a file cannot be written, or memory is short. Other errors are those of
// acquire_leadership() and take_over_run(). REQUIRES: to begin one, the options name a job file.
// ENSURES on success: the journal belongs to this process, and its last record says that this
// process leads, unless the run has ended. Stop signals are counted (base/posix/signals.h), from
// before the first change of the run on.
[[nodiscard]] Result<void> begin_run(const RunOptions& options, PreparedRun& run);
[[nodiscard]] Result<void> resume_run(const RunOptions& options, PreparedRun& run);

// Reads and prepares all that is possible while another coordinator leads the run. Errors: those of
// read_run(), runtime::set_up() and check_run_data(), and those of runtime/slurm/slurm.h for a job
// in an allocation.
[[nodiscard]] Result<void> prepare_takeover(const std::filesystem::path& folder, PreparedRun& run);
// Prepares the rest once this process leads. Errors: those of read_signer() and
// JournalFile::take_over(). InvalidInput also if the coordinator file cannot be used. Corrupt also
// if this user's key has not signed the journal. Unavailable also if the journal cannot be written.
// REQUIRES: prepare_takeover(), possibly long ago; the lease holder leads.
[[nodiscard]] Result<void> take_over_run(PreparedRun& run);

}  // namespace surety::cli
