// The cheapest closed-loop policy that keeps a promise, over all data choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/closed_loop/calibrate.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"

namespace surety::plan {

// The cost of a search.
struct Effort {
  // Decision processes that were solved, each for one multiplier, and tried on worlds.
  std::uint32_t policies = 0;
  // Promises that were refused without a solved process, because not even hindsight keeps them.
  std::uint32_t refused_by_bound = 0;
};

struct ClosedSolution {
  std::size_t choice = 0;  // Index in Problem::choices.
  Calibration calibration;
  // From a simulation with random numbers that were not used for the choice. If it missed the
  // promise, a more dependable policy was taken.
  Outcome outcome;
  double percentile = 0;  // Result of percentile_of_worlds().
  Effort effort;          // Effort for all data choices, without that of ranking them.

  double most_supported = 0;  // Limit from the number of the choice's seeds (plan/support.h).

  // Whether the promised probability is reached on the laws and on enough of the laws that the
  // profile cannot distinguish from them, whether there are enough seeds to claim it, and whether
  // nearly all runs keep the budget.
  [[nodiscard]] bool keeps(const Goal& goal) const {
    return calibration.supported && outcome.probability >= goal.probability &&
           most_supported >= goal.probability && outcome.keeps(goal.budget);
  }
};

[[nodiscard]] ClosedLoopOptions closed_loop_options(const PlanOptions& options);

// Settings that the profile cannot distinguish from that of the choice. A call with fewer draws
// returns the first ones of a call with more.
// REQUIRES: draws <= the options' worlds.
[[nodiscard]] std::vector<Setting> draw_worlds(const Problem& problem, std::size_t choice,
                                               const Goal& goal, std::uint32_t draws,
                                               std::uint32_t seeds_factor = 1);

// The cheapest solution that keeps the promise. If none does, the one that comes closest. Every
// data choice is planned in full, because cost per pass and number of passes alone misjudge it.
[[nodiscard]] ClosedSolution solve_closed(const Problem& problem, const Goal& goal,
                                          double confidence);

// Whether the most dependable policy of a data choice that solve_closed() would try keeps the
// promise.
// ENSURES: if so, solve_closed() finds a policy that keeps it. `first`: the data choice to check
// first. Takes a hundredth to a tenth of the work of solve_closed().
[[nodiscard]] bool can_keep(const Problem& problem, const Goal& goal, double confidence,
                            std::size_t first, Effort& effort);

}  // namespace surety::plan
