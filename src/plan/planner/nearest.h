// The nearest promises that can be kept, if no plan keeps the one that was asked for.
#pragma once

#include <optional>

#include "plan/closed_loop/solve_closed.h"
#include "plan/problem/problem.h"
#include "plan/schedules/pipeline.h"

namespace surety::plan {

// Each value alone is changed, with the others as promised. A value is empty if no change of it
// alone is enough. For fixed schedules they are found by bisection over the schedules that every
// search tries; then the whole search tries to get nearer. For the closed loop they are found by
// bisection over the most dependable policies on coarse grids, and then confirmed: by can_keep()
// or, if there is a budget, by the whole search for a policy or a schedule.
//
// All returned values were simulated with all runs and can be kept. Steps are 2 % of deadline and
// target, 10 % of the budget, and 0.005 of the probability. The result is rounded to 4 digits, away
// from what was promised.
struct NearestGoals {
  std::optional<double> target;  // Target in planning terms: lower is better.
  std::optional<double> probability;
  std::optional<double> deadline_s;
  std::optional<double> budget;
  Effort effort;  // Effort for closed-loop policies.
};
// Uses fixed schedules. REQUIRES: solved.plan is empty.
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const Solved& solved);
// Uses closed-loop policies, to `confidence`; for the budget also fixed schedules. `closed`: the
// solution that came closest.
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const ClosedSolution& closed, double confidence);

}  // namespace surety::plan
