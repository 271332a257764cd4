// What no policy can reach: a promise that even hindsight does not keep is refused without a
// search.
//
// A policy that knew all random numbers of a simulated run beforehand would give each pass to the
// variant that is quickest then, and would have, after so many passes, at best the metric to which
// the best version for each pass leads; it would leave out passes that step back, and switch for
// nothing. Where the run is not certified even so, no policy is certified in it. That is a bound of
// the very runs of simulate(), not an expectation: no confidence is involved, and for one version
// without steps back it is what happens.
#pragma once

#include <cstdint>

#include "plan/types.h"

namespace surety::plan {

// False: simulate(setting, policy, {.seed = seed, .runs = runs}) succeeds in fewer than this share
// of the runs, whatever the policy, if it has one leg (a closed loop, or a schedule of one block).
// True says nothing.
// REQUIRES: runs > 0. Deterministic. O(runs * passes * variants), less once the answer is clear.
[[nodiscard]] bool hindsight_keeps(const Setting& setting, double probability, std::uint64_t seed,
                                   std::uint32_t runs);

}  // namespace surety::plan
