// Builds a plan, as it is written and shown, from the results of the solvers.
#pragma once

#include <cstddef>

#include "plan/closed_loop/solve_closed.h"
#include "plan/plan.h"
#include "plan/schedules/pipeline.h"

namespace surety::plan {

// Bands cover the time that nearly all runs need, so that a run that is short compared with the
// deadline does not lie between two points.
[[nodiscard]] BandSteps band_steps(const Setting& setting, const Outcome& outcome);

// The block of a variant of the setting. The fields passes and switch_s are not set.
[[nodiscard]] Block block_of(const Setting& setting, std::size_t variant);

// Fills in probability, cost, time, bands and the usage of the blocks that some run uses.
void fill_numbers(const Outcome& outcome, Claims& claims);

// `fixed`: the best fixed schedules, listed as runners-up.
[[nodiscard]] Plan plan_of_policy(const Problem& problem, const Promise& promise, const Goal& goal,
                                  const ClosedSolution& solution, const Solved& fixed);

}  // namespace surety::plan
