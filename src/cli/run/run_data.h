// The data that a run began with, compared with those of today.
#pragma once

#include "base/result.h"
#include "orchestrator/history/run_state.h"
#include "orchestrator/ledger/job_config.h"

namespace surety::cli {

// For a run that is going to be resumed. InvalidInput states what has changed, and gives advice.
// REQUIRES: the state is that of read_run(), and the configuration is of the same job.
[[nodiscard]] Result<void> check_run_data(const orchestrator::RunState& state,
                                          const orchestrator::JobConfig& config);

// The same for a run that has been trained, without advice.
[[nodiscard]] Result<void> check_data_again(const orchestrator::RunState& state,
                                            const orchestrator::JobConfig& config);

}  // namespace surety::cli
