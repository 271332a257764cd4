// The cheapest fixed schedule of few blocks, by going through all of them: exact, as
// label_setting.h with its exact rule, and for up to three blocks much faster, because nothing is
// compared.
//
// The last block is never walked through. Let h_n(l) be the chance of success after n more passes
// of its variant from level l; pulled back through the switch into it, h_n depends on the switch
// alone. For each list of passes before it, one scalar product with h_n gives P(level) for a last
// block of n passes, and bisection finds the fewest that do. Three blocks are a walk over pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/process/cmdp.h"
#include "plan/schedule/label_setting.h"

namespace surety::plan {

struct FixedResult {
  std::vector<std::optional<BlindPlan>> plans;  // By omega; none: there is no schedule.
  std::size_t prefixes = 0;                     // Lists of passes before the last block.
};

// For each omega the cheapest schedule of at most `blocks_max` legs, each with at least one pass.
// Ties: the one found first, by start, passes and switches in their order.
// REQUIRES: at most one start per variant; omegas not empty, in (0, 1), ascending; blocks_max > 0.
// O(passes^(blocks_max - 1) * switches * levels * (kernel row + log passes)), less what is too dear
// or too late; memory for O(passes * levels * switches).
[[nodiscard]] FixedResult fixed_search(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                       const std::vector<double>& omegas, std::uint32_t blocks_max);

}  // namespace surety::plan
