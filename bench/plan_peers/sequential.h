// The sequential baseline: first it fixes nodes for each version, then it finds a schedule over
// these variants alone. Planners that fix the cluster for each model before they schedule work like
// this. It is used to measure the savings of a joint decision.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/decision/cmdp.h"

namespace surety::bench {

// One variant for each version, in ascending order. It is the cheapest that keeps the promise when
// it trains alone from its start until level 0 or the deadline. If none keeps the promise, it is
// the likeliest one. Among equally likely ones it is the fastest, because then the deadline is
// decisive. Further ties: the lower index. REQUIRES: `version_of` has an entry for each variant;
// each variant has a start. O(one backward sweep).
[[nodiscard]] std::vector<std::size_t> sequential_variants(
    const plan::Mdp& mdp, const std::vector<plan::MdpStart>& starts,
    const std::vector<std::size_t>& version_of, double omega);

// Every way to fix a variant for each version, each in ascending order. With the planner on each,
// the best result bounds what any rule like the one above can reach. Their number is the product of
// the numbers of options.
[[nodiscard]] std::vector<std::vector<std::size_t>> all_fixed_variants(
    const std::vector<std::size_t>& version_of);

// The process with only these variants, in this order.
struct Restricted {
  plan::Mdp mdp;
  std::vector<plan::MdpStart> starts;
};
// REQUIRES: `variants` ascending, in range.
[[nodiscard]] Restricted restricted_to(const plan::Mdp& mdp,
                                       const std::vector<plan::MdpStart>& starts,
                                       const std::vector<std::size_t>& variants);

}  // namespace surety::bench
