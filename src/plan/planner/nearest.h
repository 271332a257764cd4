// Why no plan keeps a promise, and the nearest promises that one does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/closed_loop/solve_closed.h"
#include "plan/problem/problem.h"
#include "plan/schedule/pipeline.h"

namespace surety::plan {

// Each by itself, all else as promised; empty where no value of it alone is feasible. Fixed
// schedules: found by bisection over those that every search tries; then the whole search tries to
// get nearer. Closed loop: found by bisection over the most dependable policies on coarse grids,
// then confirmed by can_keep(). What is returned was simulated with all runs and can be kept. Steps
// are 2 % of deadline and target, 0.005 of the probability; then it is rounded to 4 digits, away
// from what was promised.
struct NearestGoals {
  std::optional<double> target;  // In planning terms.
  std::optional<double> probability, deadline_s, budget;
  Effort effort;  // Of closed-loop policies.
};
// By fixed schedules. REQUIRES: solved.plan is empty.
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const Solved& solved);
// By closed-loop policies, to `confidence`. `closed` is what came closest.
[[nodiscard]] NearestGoals nearest_goals(const Problem& problem, const Goal& goal,
                                         const ClosedSolution& closed, double confidence);

struct Obstacle {
  std::string reason_class;  // As Infeasible::reason_class.
  std::string reason;
};

// What came closest, budget aside.
struct Closest {
  double probability = 0;
  std::string what;
};
// REQUIRES: no plan keeps the promise.
[[nodiscard]] Obstacle find_obstacle(const Problem& problem, const Goal& goal,
                                     const Closest& closest, const NearestGoals& nearest);

// The smallest multiple of the profile's seeds that would support the promise, if more seeds were
// like those that there are. Empty: not even kSeedsFactorMax times as many.
inline constexpr std::uint32_t kSeedsFactorMax = 16;
[[nodiscard]] std::optional<std::uint32_t> seeds_factor_needed(const Problem& problem,
                                                               const Goal& goal,
                                                               const ClosedSolution& closed,
                                                               double confidence);

}  // namespace surety::plan
