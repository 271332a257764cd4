// The cheapest closed-loop policy that keeps a promise, over all data choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/closed_loop/calibrate.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"

namespace surety::plan {

// What a search has cost.
struct Effort {
  // Decision processes that were solved, each for one multiplier, and tried on worlds.
  std::uint32_t policies = 0;
  std::uint32_t hopeless = 0;  // Promises refused without one: not even hindsight keeps them.
};

struct ClosedSolution {
  std::size_t choice = 0;  // In Problem::choices.
  Calibration calibration;
  // Simulated again with other random numbers than it was chosen by. Where these were against it, a
  // more dependable one was taken.
  Outcome outcome;
  double percentile = 0;  // percentile_of_worlds().
  Effort effort;          // Of all data choices, without that of ranking them.

  double most_supported = 0;  // By the number of the choice's seeds (support.h).

  // At least the promised probability, on the laws and on enough of those that the profile cannot
  // tell from them, and there are seeds enough to say so.
  [[nodiscard]] bool keeps(const Goal& goal) const {
    return calibration.supported && outcome.probability >= goal.probability &&
           most_supported >= goal.probability;
  }
};

[[nodiscard]] ClosedLoopOptions closed_loop_options(const PlanOptions& options);

// Settings that the profile cannot tell from that of the choice; fewer draws are the first of more.
// REQUIRES: draws <= the options' worlds.
[[nodiscard]] std::vector<Setting> draw_worlds(const Problem& problem, std::size_t choice,
                                               const Goal& goal, std::uint32_t draws,
                                               std::uint32_t seeds_factor = 1);

// The cheapest that keeps the promise; where none does, the one that comes closest. Every data
// choice is planned with in full: cost per pass and passes alone misjudge it.
[[nodiscard]] ClosedSolution solve_closed(const Problem& problem, const Goal& goal,
                                          double confidence);

// Does the most dependable policy of one of the data choices that solve_closed() would try keep the
// promise? ENSURES: where it does, solve_closed() finds a policy that keeps it. `first` is the data
// choice to ask first. A hundredth to a tenth of the work of solve_closed().
[[nodiscard]] bool can_keep(const Problem& problem, const Goal& goal, double confidence,
                            std::size_t first, Effort& effort);

}  // namespace surety::plan
