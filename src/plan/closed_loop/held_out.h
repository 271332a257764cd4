// Learn then test: a check of the promise that believes in no law.
//
// Laws are fitted to every other seed of the profile; the policy that follows from them lives
// through each of the other seeds, pass by pass as it was measured (steps back stay). The seeds are
// exchangeable, so the successes are binomial, and the lower end of the exact interval holds
// whatever the curves look like. With no failure in n seeds it is (1 - confidence)^(1/n), which is
// all that n seeds can show.
//
// What is lived through is a seed's progress in each version by itself; after a switch it goes on
// with that version's progress from the pass in hand. For more than some 200 seeds support, measure
// real runs of the policy instead.
#pragma once

#include <cstdint>
#include "plan/problem/problem.h"

namespace surety::plan {

struct HeldOut {
  std::uint32_t runs = 0, successes = 0;
  double lower = 0;  // 0 without runs.
  double limit = 0;  // Of `lower`, had none failed.
};

// `lambda`: of the policy that is tested. Seeds without a run of every law are left out; fewer than
// four give no runs.
[[nodiscard]] HeldOut test_held_out(const Problem& problem, const DataLaws& choice,
                                    const Goal& goal, double lambda, double confidence);

}  // namespace surety::plan
