// A decision whose claims were computed twice: by the planner, and by the independent checker
// (plan/check).
#pragma once

#include "base/result.h"
#include "plan/check/plan_check.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// plan::make_plan(), followed by check_decision(). A closest plan that does not pass the check is
// left out of its refusal, which says so. Errors: also those of make_plan(). The check
// takes some tenths of a second (plan_check.h).
[[nodiscard]] Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                                       const plan::Profile& profile,
                                                       const plan::PlanOptions& options);

// Computes again what the plan claims, or the closest plan of a refusal. Errors: Defect, with what
// disagrees, or why nothing could be simulated.
[[nodiscard]] Result<void> check_decision(const plan::Instance& instance,
                                          const plan::Decision& decision,
                                          const plan::check::CheckOptions& options = {});

}  // namespace surety::orchestrator
