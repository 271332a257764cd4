// Learn then test: a check of the promise that does not depend on laws.
//
// Laws are fitted to every other seed of the profile. The resulting policy replays each of the
// remaining seeds, pass by pass as measured (steps back are kept). The seeds are exchangeable, so
// the successes are binomial, and the lower end of the exact interval holds for curves of any
// shape. Without a failure in n seeds it is (1 - confidence)^(1/n), the most that n seeds can show.
//
// The replay uses the seed's measured progress in each version. After a switch, the replay
// continues with the new version's progress from the current pass. For probabilities that would
// need more than about 200 seeds, measure real runs of the policy instead.
#pragma once

#include <cstdint>
#include "plan/problem/problem.h"

namespace surety::plan {

struct HeldOut {
  std::uint32_t runs = 0;
  std::uint32_t successes = 0;
  double lower = 0;  // 0 without runs.
  double limit = 0;  // The value of `lower` if no run had failed.
};

// `lambda`: that of the tested policy. Seeds without a run of every law are left out. Fewer than
// four seeds give no runs.
[[nodiscard]] HeldOut test_held_out(const Problem& problem, const DataLaws& choice,
                                    const Goal& goal, double lambda, double confidence);

}  // namespace surety::plan
