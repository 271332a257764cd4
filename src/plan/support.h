// What a number of profiled seeds can support, whatever the laws.
#pragma once

#include <cstdint>

#include "plan/types.h"

namespace surety::plan {

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
