// Why no plan keeps a promise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/closed_loop/solve_closed.h"
#include "plan/planner/nearest.h"
#include "plan/problem/problem.h"
#include "plan/reason_class.h"
#include "plan/schedules/pipeline.h"

namespace surety::plan {

struct Obstacle {
  ReasonClass reason_class = ReasonClass::kFloor;
  std::string reason;
};

// The solution that came closest, without regard to the budget.
struct Closest {
  double probability = 0;
  double probability_without_limit = 0;  // The probability if the job allowed any number of passes.
  std::string what;
};
// REQUIRES: no plan keeps the promise.
[[nodiscard]] Obstacle find_obstacle(const Problem& problem, const Goal& goal,
                                     const Closest& closest, const NearestGoals& nearest);

// The smallest multiple of the profile's seeds that would support the promise, if further seeds
// were like the existing ones. Empty if even kSeedsFactorMax times as many would not suffice.
inline constexpr std::uint32_t kSeedsFactorMax = 16;
[[nodiscard]] std::optional<std::uint32_t> seeds_factor_needed(const Problem& problem,
                                                               const Goal& goal,
                                                               const ClosedSolution& closed,
                                                               double confidence);

}  // namespace surety::plan
