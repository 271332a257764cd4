// What the planner is asked, made of a job and what its data sources hold.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/source_info.h"
#include "orchestrator/job.h"
#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// `nodes`: of the first type that are there, if more than the job says; `seconds_left`: for
// training, to the deadline less what certifying takes.
[[nodiscard]] plan::Instance plan_instance(const Job& job,
                                           const std::vector<data::SourceInfo>& sources,
                                           std::uint32_t nodes, double seconds_left);

// Is each data set, version and node type that the plan names one of the job's? InvalidInput with
// the key in the plan, what was found, and the job's.
[[nodiscard]] Result<void> check_plan_names(const plan::Plan& plan, const Job& job);

}  // namespace surety::orchestrator
