// A plan that has been found twice: by the planner, and by the independent checker (plan_check).
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// Recomputes an issued plan. Defect with what disagrees where the checker does not find what the
// plan claims. Takes about as long as 2,000 simulated runs.
[[nodiscard]] Result<void> check_issued(const plan::Instance& instance, const plan::Plan& plan);

// plan::make_plan(), followed by check_issued() where a plan came out.
[[nodiscard]] Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                                       const plan::Profile& profile,
                                                       const plan::PlanOptions& options);

}  // namespace surety::orchestrator
