// The chance that a job is certified in time, under the current belief.
#pragma once

#include <vector>

#include "plan/choice/pool_rule.h"

namespace surety::plan {

struct Outlook {
  std::vector<double> by_draw;  // Chance of the likeliest option, in each draw.
  double low = 0;               // The quantile at 1 - confidence over the draws.
  double mean = 0;              // The mean over the draws.
};

// A job can be certified in two ways. If an attempt reaches the target with its margin, training
// stops, and the certifying samples agree with the chance `confirmed`. If the best model at the
// deadline reaches the target without the margin, they agree in more than half of the cases. How
// often promises based on this chance are kept was counted on recorded runs:
// bench/notes/promise.md.
//
// `stops`: choose() with the target that stops training, and `confirmed` as PoolGoal::confirmed.
// `shows`: choose() with the bare target, and 1 as PoolGoal::confirmed.
// REQUIRES: both come from the same belief and options.
// O(options * draws).
[[nodiscard]] Outlook outlook_of(const PoolChoice& stops, double confirmed, const PoolChoice& shows,
                                 double confidence);

}  // namespace surety::plan
