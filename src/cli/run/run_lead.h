// Leads a run of this process until it ends or another coordinator has taken it over.
#pragma once

#include "cli/run/prepared_run.h"
#include "cli/run/progress.h"

namespace surety::cli {

// Prints the result of the run, and returns its exit code. Errors: those of run_coordinator(),
// take_over_run(), report_end() and JournalFile::publish(), and Unavailable if the run has ended,
// but its files cannot be written. REQUIRES: begin_run(), resume_run() or take_over_run() has
// succeeded.
[[nodiscard]] Result<int> lead_run(const RunOptions& options, PreparedRun& run);

// Does the same from the journal of a run that another coordinator has ended. Errors: those of
// read_run().
[[nodiscard]] Result<int> report_end(const RunOptions& options, PreparedRun& run,
                                     const orchestrator::RunEnd& end);

}  // namespace surety::cli
