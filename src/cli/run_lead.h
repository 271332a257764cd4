// Leads a run that is ours to its end, or to where somebody else has it.
#pragma once

#include "cli/progress.h"
#include "cli/run_start.h"

namespace surety::cli {

// Prints what the run came to, and returns its exit code. REQUIRES: begin_run(), resume_run() or
// take_over_run().
[[nodiscard]] Result<int> lead_run(const RunOptions& options, PreparedRun& run);

// The same by its journal, for a run that another coordinator has ended.
[[nodiscard]] Result<int> report_end(const RunOptions& options, PreparedRun& run,
                                     const orchestrator::RunEnd& end);

}  // namespace surety::cli
