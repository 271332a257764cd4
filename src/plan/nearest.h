// Why no plan keeps a promise, and the nearest promises that one does.
#pragma once

#include "plan/pipeline.h"

namespace surety::plan {

struct Obstacle {
  std::string reason_class;  // As Infeasible::reason_class.
  std::string reason;
};

// REQUIRES: solved.plan is empty.
[[nodiscard]] Obstacle find_obstacle(const Problem& problem, const Goal& goal,
                                     const Solved& solved);

// Each by bisection with the planner itself, all else as promised; empty where no value of it alone
// is feasible. What is returned was solved and found feasible; for the deadline and the target the
// nearest one is less than 2 % nearer, for the probability 0.005.
struct NearestGoals {
  std::optional<double> target;  // In planning terms.
  std::optional<double> probability, deadline_s, budget;
};
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const Solved& solved);

}  // namespace surety::plan
