// The chance that a job is certified in time, as the belief is now.
#pragma once

#include <vector>

#include "plan/pool/pool_rule.h"

namespace surety::plan {

struct Outlook {
  std::vector<double> by_draw;  // Chance of the likeliest option in each draw of the belief.
  double low = 0, mean = 0;     // Over the draws; `low` is the quantile at 1 - confidence.
};

// There are two ways to be certified. An attempt shows the target with its margin: then training
// stops, and the certifying samples agree with the chance `confirmed`. Or the best model at the
// deadline shows the target without the margin: they agree more often than not.
// How often promises that are stated by it are kept was counted on recorded runs: bench/RESULTS.md.
//
// `stops`: choose() with the target that stops training, and PoolGoal::confirmed of `confirmed`;
// `shows`: the same with the bare target, confirmed with 1. REQUIRES: both of the same belief and
// options. O(options * draws).
[[nodiscard]] Outlook outlook_of(const PoolChoice& stops, double confirmed, const PoolChoice& shows,
                                 double confidence);

}  // namespace surety::plan
