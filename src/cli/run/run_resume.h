// How a run continues, after its coordinator has ended or was lost: prepares all data that a
// coordinator needs, from the folder of the run.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/run/prepared_run.h"

namespace surety::cli {

// Resumes a run. InvalidInput: the options or the folder do not allow it. Corrupt: a file of the
// run is damaged. Unavailable: a file cannot be written, or memory is short. Other errors are those
// of acquire_leadership() and take_over_run(). ENSURES on success: the journal belongs to this
// process, and its last record says that this process leads, unless the run has ended. Stop signals
// are counted (base/posix/signals.h), from before the first change of the run on.
[[nodiscard]] Result<PreparedRun> resume_run(const RunOptions& options);

// Reads and prepares all that is possible while another coordinator leads the run. Errors: those of
// read_run(), runtime::set_up() and check_run_data(), and those of runtime/slurm/slurm.h for a job
// in an allocation.
[[nodiscard]] Result<PreparedRun> prepare_takeover(const std::filesystem::path& folder);
// Prepares the rest once this process leads. Errors: those of read_signer() and
// JournalFile::take_over(). InvalidInput also if the coordinator file cannot be used. Corrupt also
// if this user's key has not signed the journal. Unavailable also if the journal cannot be written.
// REQUIRES: prepare_takeover() gave the run, possibly long ago; the lease holder leads.
[[nodiscard]] Result<void> take_over_run(PreparedRun& run);

}  // namespace surety::cli
