// An upper bound for all policies: a promise that cannot be kept even with hindsight is refused
// without a search.
//
// Suppose that a policy knows all random numbers of a simulated run in advance. It gives each pass
// to the variant that is fastest at that time. After each pass its metric is at best the result of
// the best version for each pass. It omits passes that step back, and its switches are free. If
// even this run is not certified, no policy is certified in it.
//
// The bound holds for the very runs of simulate(). It is not an expectation, so no confidence is
// involved. For one version without steps back it is exact.
#pragma once

#include <cstdint>

#include "plan/types.h"

namespace surety::plan {

// False means: simulate(setting, policy, {.seed = seed, .runs = runs}) succeeds in fewer than this
// share of the runs for every policy. True has no meaning. REQUIRES: runs > 0. Deterministic.
// O(runs * passes * variants), less once the answer is clear.
[[nodiscard]] bool hindsight_keeps(const Setting& setting, double probability, std::uint64_t seed,
                                   std::uint32_t runs);

}  // namespace surety::plan
