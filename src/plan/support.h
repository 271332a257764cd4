// The probability that a number of profiled seeds can support, for any laws.
#pragma once

#include <cstdint>

#include "plan/types.h"

namespace surety::plan {

// The number of seeds of the law that has the fewest. REQUIRES: at least one law.
[[nodiscard]] std::uint32_t fewest_seeds(const Laws& laws);

// The largest probability that this many profiled seeds support: 2^(-1/seeds), or 0 without seeds.
// At that probability of success, all these runs succeed with a chance of one half, so failing runs
// may not have been observed.
[[nodiscard]] double most_supported(std::uint32_t seeds);
// The least number of seeds with most_supported() >= probability. REQUIRES: 0 < probability < 1.
[[nodiscard]] std::uint32_t seeds_to_support(double probability);

// Number of seeds, none of which may fail, that support `probability` at `confidence` without
// assumptions about the laws: the smallest S with probability^S <= 1 - confidence.
[[nodiscard]] std::uint32_t seeds_needed(double probability, double confidence);

}  // namespace surety::plan
