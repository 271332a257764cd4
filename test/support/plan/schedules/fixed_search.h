// The cheapest fixed schedule of few blocks, by full enumeration. The result is exact, like that of
// label_setting.h with its exact rule. For up to three blocks it is much faster, because no labels
// are compared.
//
// The last block is not enumerated. Let h_n(l) be the chance of success after n more passes of its
// variant from level l. Pulled back through the switch into the block, h_n depends on the switch
// alone. For each list of passes before it, one scalar product with h_n gives P(level) for a last
// block of n passes, and bisection finds the least sufficient n. With three blocks, pairs are
// enumerated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::plan {

struct FixedResult {
  // One entry for each omega; none if there is no schedule.
  std::vector<std::optional<BlindPlan>> plans;
  std::size_t prefixes = 0;  // Number of lists of passes before the last block.
};

// For each omega, the cheapest schedule of at most `blocks_max` legs, each with at least one pass.
// Ties: the one found first, by start, passes and switches in their order.
// REQUIRES: at most one start per variant; omegas not empty, in (0, 1), ascending; blocks_max > 0.
// O(passes^(blocks_max - 1) * switches * levels * (kernel row + log passes)), without what is too
// expensive or too late. Memory: O(passes * levels * switches).
[[nodiscard]] FixedResult fixed_search(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                       const std::vector<double>& omegas, std::uint32_t blocks_max);

}  // namespace surety::plan
