// The planner: from a promise, what there is to keep it with and a profile, to a plan.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::plan {

struct PlanOptions {
  Planner planner = Planner::kClosedLoop;
  std::uint64_t seed = 1;
  std::uint32_t simulated_runs = 4000;
  std::uint32_t levels = 100;      // Of the metric, in the decision process and in the graph.
  std::uint32_t ticks = 240;       // Of the time.
  std::uint32_t classes = 5;       // Of the run effect.
  std::uint32_t worlds = 60;       // Laws drawn from what the profile leaves open.
  std::uint32_t passes_max = 400;  // In one block: bounds the graph.
};

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
