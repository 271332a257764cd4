// The chance that a job is certified in time, as the belief is now.
#pragma once

#include <vector>

#include "plan/pool/pool_rule.h"

namespace surety::plan {

struct Outlook {
  std::vector<double> by_draw;  // Chance in each draw of the belief.
  double low = 0, mean = 0;  // Over the draws; `low` is what all but 1 - confidence of them have.
};

// There are two ways to be certified. An attempt shows the target with its margin: then training
// stops, and the certifying samples agree with the chance `confirmed`. Or the best model at the
// deadline shows the target without the margin: they agree more often than not.
// What all but 1 - `confidence` of the draws have is not what a promise is kept with: the draws are
// wide, and promises that are stated by it at 0.9 are kept more often (bench/RESULTS.md).
//
// `stops`: choose() with the target that stops training, and PoolGoal::confirmed of `confirmed`;
// `shows`: the same with the bare target, confirmed with 1. REQUIRES: both of the same belief.
// O(draws).
[[nodiscard]] Outlook outlook_of(const PoolChoice& stops, double confirmed, const PoolChoice& shows,
                                 double confidence);

}  // namespace surety::plan
