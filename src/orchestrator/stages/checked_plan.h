// A plan that has been found twice: by the planner, and by the independent checker (plan/check).
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// plan::make_plan(), followed by the check of the plan that comes out: what it claims is computed
// again. Defect with what disagrees; otherwise the errors of make_plan(). The check takes some
// tenths of a second (plan_check.h).
[[nodiscard]] Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                                       const plan::Profile& profile,
                                                       const plan::PlanOptions& options);

}  // namespace surety::orchestrator
