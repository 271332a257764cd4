// Why no plan keeps a promise, and the nearest promises that one does.
#pragma once

#include "plan/pipeline.h"

namespace surety::plan {

// Each by itself, all else as promised; empty where no value of it alone is feasible. Found by
// bisection over the schedules that every search tries; then the whole search tries to get nearer.
// What is returned was simulated with all runs and can be kept. Steps are 2 % of deadline and
// target, 0.005 of the probability; then it is rounded to 4 digits, away from what was promised.
struct NearestGoals {
  std::optional<double> target;  // In planning terms.
  std::optional<double> probability, deadline_s, budget;
};
// REQUIRES: solved.plan is empty.
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const Solved& solved);

struct Obstacle {
  std::string reason_class;  // As Infeasible::reason_class.
  std::string reason;
};

// REQUIRES: solved.plan is empty.
[[nodiscard]] Obstacle find_obstacle(const Problem& problem, const Goal& goal, const Solved& solved,
                                     const NearestGoals& nearest);

}  // namespace surety::plan
