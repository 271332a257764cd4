// The plan of a run that has no plan of a planner.
#pragma once

#include "job/job.h"
#include "plan/plan.h"

namespace surety::orchestrator {

// One block of the first version that lasts until `train.passes_max`, on all present workers. It
// makes no claims.
[[nodiscard]] plan::Plan plan_by_hand(const job::Job& job);

}  // namespace surety::orchestrator
