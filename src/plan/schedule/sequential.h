// The sequential baseline: first nodes for each version, then a schedule over those alone. Planners
// that fix the cluster per model before they schedule work like this; what deciding on both at once
// saves is measured against it.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/process/cmdp.h"

namespace surety::plan {

// A variant for each version, ascending: the cheapest that keeps the promise when it trains alone
// from its start until level 0 or the deadline; where none does, the likeliest to; where they are
// equally likely, the fastest, since the deadline is then what decides. Further ties: the lower.
// REQUIRES: `version_of` by variant; each variant has a start.
// O(one backward sweep).
[[nodiscard]] std::vector<std::size_t> sequential_variants(
    const Mdp& mdp, const std::vector<MdpStart>& starts, const std::vector<std::size_t>& version_of,
    double omega);

// Every way to fix a variant for each version, each ascending: with the planner behind it, the best
// of them bounds what any rule like the one above can reach. The product of the options' numbers.
[[nodiscard]] std::vector<std::vector<std::size_t>> all_fixed_variants(
    const std::vector<std::size_t>& version_of);

// The process with these variants only, in this order.
struct Restricted {
  Mdp mdp;
  std::vector<MdpStart> starts;
};
// REQUIRES: `variants` ascending, in range.
[[nodiscard]] Restricted restricted_to(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                       const std::vector<std::size_t>& variants);

}  // namespace surety::plan
