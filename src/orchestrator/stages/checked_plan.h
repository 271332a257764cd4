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

// plan::make_plan(), followed by check_decision(). If the closest plan of a refusal does not pass
// the check, the refusal omits it and states this. Errors: also those of make_plan(). The check
// takes some tenths of a second (plan/check/plan_check.h).
[[nodiscard]] Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                                       const plan::Profile& profile,
                                                       const plan::PlanOptions& options);

// make_checked_plan() for a run that has not begun. The promise counts from the start of the run,
// so the time and the money to start and to certify (time_reserve.h) are not used for training. The
// deadline and the budget that a refusal names count from the start of the run, too. If there is no
// time for training at all, the refusal names a later deadline only; if there is no money for it, a
// larger budget only. With a budget it may plan a second time, if the plan's nodes are more
// expensive than the cheapest ones. Errors: those of make_checked_plan().
struct PlanBeforeRun {
  plan::Decision decision;
  plan::Reserved reserved;
};
[[nodiscard]] Result<PlanBeforeRun> make_plan_before_run(plan::Instance instance,
                                                         const plan::Profile& profile,
                                                         const plan::PlanOptions& options);

// Computes the claims of the plan again, or those of the closest plan of a refusal. Errors: Defect,
// with the differences. REQUIRES: a plan is not one by hand.
[[nodiscard]] Result<void> check_decision(const plan::Instance& instance,
                                          const plan::Decision& decision,
                                          const plan::check::CheckOptions& options = {});

}  // namespace surety::orchestrator
