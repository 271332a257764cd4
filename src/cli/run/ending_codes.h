// The exit code of each ending of a run, and the way back: a leader notifies its standby of the
// exit code only.
#pragma once

#include <optional>

#include "orchestrator/ledger/job_events.h"

namespace surety::cli {

// Nothing for a complete run, whose verdict decides.
[[nodiscard]] std::optional<int> exit_code(orchestrator::Ending ending);

// How a run ended that is not complete. A code that no such ending has counts as a failure.
[[nodiscard]] orchestrator::Ending ending_with(int exit_code);

}  // namespace surety::cli
