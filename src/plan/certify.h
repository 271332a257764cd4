// How much of the printed probability the profile supports.
//
// The chosen schedule is simulated on laws that the profile cannot tell from the fitted ones
// (posterior_draws); the (1 - confidence)-quantile of those probabilities is the lower bound
// (percentile margin). It needs the parametric laws to hold. No law says anything of a kind of run
// that no seed has shown, so the seeds themselves set a limit.
#pragma once

#include <cstdint>

#include "plan/pipeline.h"

namespace surety::plan {

// REQUIRES: the solution is one of this problem and goal. O(draws * runs * passes).
// At most most_supported().
[[nodiscard]] double lower_probability(const Problem& problem, const Goal& goal, double confidence,
                                       const Solution& solution);

// Of the law with the fewest. REQUIRES: some law.
[[nodiscard]] std::uint32_t fewest_seeds(const Laws& laws);

// The most that so many profiled seeds support: were success any rarer, as many runs as that would
// at even odds all be good ones, and nobody would have seen the kind that fails. 2^(-1/seeds), 0
// without seeds.
[[nodiscard]] double most_supported(std::uint32_t seeds);
// The fewest whose limit is at least that. REQUIRES: 0 < probability < 1.
[[nodiscard]] std::uint32_t seeds_to_support(double probability);

// Seeds without a single failure that support `probability` at `confidence` with no assumption on
// the laws: the smallest S with probability^S <= 1 - confidence.
[[nodiscard]] std::uint32_t seeds_needed(double probability, double confidence);

}  // namespace surety::plan
