// How a run begins: prepares all data that a coordinator needs, from a job file.
#pragma once

#include "base/result.h"
#include "cli/run/prepared_run.h"

namespace surety::cli {

// Begins a run. InvalidInput: the options, the job, its data or the folder do not allow it.
// Infeasible: the plan file has a refusal. Unavailable: a file cannot be written, or memory is
// short. Other errors are those of acquire_leadership(). REQUIRES: the options name a job file.
// ENSURES on success: the journal belongs to this process, and its record says that the run has
// begun. Stop signals are counted (base/posix/signals.h), from before the first change of the run
// on.
[[nodiscard]] Result<PreparedRun> begin_run(const RunOptions& options);

}  // namespace surety::cli
