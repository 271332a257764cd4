// The planner: makes a plan from a promise, the available resources and a profile.
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::plan {

// Decides on a plan. A plan is issued if its simulated probability is at least the promised one
// and, if there is a budget, the 95 % quantile of its cost is within it. Whether the profile also
// supports that probability at the promised confidence is stated in `probability_lower` and in the
// assumption "profile supports the promise"; a few seeds do not support it.
//
// Errors: InvalidInput if the promise is not valid, or, with the measurements that are needed, if
// the profile is not sufficient for planning (no curve, one point). Pure and deterministic. The
// order of data sets, nodes, runs in the profile, and versions after the first does not matter. In
// `profile` an accuracy is given as 1 - accuracy. REQUIRES: options.planner is not kByHand.
// ENSURES: the plan has claims, and so has the closest one of a refusal.
[[nodiscard]] Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                                         const PlanOptions& options);

}  // namespace surety::plan
