// The planner's input, made from a job and the contents of its data sources.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/sources/source_info.h"
#include "job/job.h"
#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// `nodes`: present nodes of the first type, used if there are more than in the job file.
// `seconds_left`: time for training, that is, until the deadline less the time for certification.
[[nodiscard]] plan::Instance plan_instance(const job::Job& job,
                                           const std::vector<data::SourceInfo>& sources,
                                           std::uint32_t nodes, double seconds_left);

// Checks that each data set, version and node type that the plan names is one of the job's.
// InvalidInput contains the key in the plan, the wrong name, and the job's names.
[[nodiscard]] Result<void> check_plan_names(const plan::Plan& plan, const job::Job& job);

}  // namespace surety::orchestrator
