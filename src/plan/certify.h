// How much of the printed probability the profile supports.
//
// The chosen schedule is simulated on laws that the profile cannot tell from the fitted ones
// (posterior_draws); the (1 - confidence)-quantile of those probabilities is the lower bound
// (percentile margin). It needs the parametric laws to hold and is itself uncertain with few seeds.
#pragma once

#include <cstdint>

#include "plan/pipeline.h"

namespace surety::plan {

// REQUIRES: the solution is one of this problem and goal. O(draws * runs * passes).
[[nodiscard]] double lower_probability(const Problem& problem, const Goal& goal, double confidence,
                                       const Solution& solution);

// Seeds without a single failure that support `probability` at `confidence` with no assumption on
// the laws: the smallest S with probability^S <= 1 - confidence.
[[nodiscard]] std::uint32_t seeds_needed(double probability, double confidence);

}  // namespace surety::plan
