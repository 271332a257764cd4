// What a job must have for the command that carries it out, beyond the rules for every job.
#pragma once

#include <string_view>

#include "base/result.h"
#include "job/job.h"
#include "orchestrator/history/run_mode.h"
#include "orchestrator/ledger/job_config.h"

namespace surety::cli {

// Both return InvalidInput, which names the job file and the key. `surety sim` refuses what the
// real command would refuse.

// Before the data are read: the seeds, the learning rate and the workers of profiles.
[[nodiscard]] Result<void> check_mode(std::string_view job_file, const job::Job& job,
                                      orchestrator::RunMode mode);
// After that: whether any node has enough memory for any version, if the job trains a pool of
// attempts. REQUIRES: the versions are weighed (runtime::weigh_versions()).
[[nodiscard]] Result<void> check_memory(std::string_view job_file,
                                        const orchestrator::JobConfig& config);

}  // namespace surety::cli
