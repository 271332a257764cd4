// The exit code of each ending of a run, and the way back: a leader notifies its standby of the
// exit code only.
#pragma once

#include "orchestrator/history/run_state.h"
#include "orchestrator/ledger/job_events.h"

namespace surety::cli {

// The exit code of a run that ended so. The verdict decides about a complete run, except about a
// profile, which promises nothing.
[[nodiscard]] int exit_code(orchestrator::Ending ending, const orchestrator::RunState& state);

// How a run ended that is not complete. A code that no such ending has counts as a failure.
[[nodiscard]] orchestrator::Ending ending_with(int exit_code);

}  // namespace surety::cli
