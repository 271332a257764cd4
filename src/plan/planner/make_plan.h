// The planner: from a promise, what there is to keep it with and a profile, to a plan.
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::plan {

// Decides. A plan is issued when its simulated probability is at least the promised one and, where
// there is a budget, the 95 % quantile of its cost is within it. Whether the profile also supports
// that probability at the promised confidence is said in `probability_lower` and in the assumption
// "profile supports the promise"; a few seeds do not.
//
// InvalidInput where the promise makes no sense or the profile cannot be planned with (no curve,
// one point), with what to measure. Pure and deterministic; the order of data sets, nodes, runs
// in the profile and of the versions after the first does not matter. In `profile` accuracy stands
// as 1 - accuracy.
[[nodiscard]] Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                                         const PlanOptions& options);

}  // namespace surety::plan
