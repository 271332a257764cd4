// Whether an attempt learns nothing because its learning rate is too high, judged only by its
// metrics.
#pragma once

#include <span>

namespace surety::plan {

// A metric on the deciding samples; lower is better.
struct SeenMetric {
  double value = 0;
  double se = 0;
};

// Whether the metric is not better than the untrained model's, within two standard errors.
[[nodiscard]] bool is_at_chance(const SeenMetric& seen, double untrained);

// `passes`: the metrics of one attempt, the newest last. The attempt learns nothing if its last two
// passes are at chance and the metric does not fall. (It may have learned before, and lost this
// progress because of the rate.) One such pass is enough if another attempt with the same rate is
// also at chance (`another`). It also learns nothing if three passes in a row stay near chance and
// do not fall.
//
// The metric of networks that start slowly falls by a thousandth or more in each pass, which is
// more than the standard errors; such attempts may continue. If the metric is less precise (an
// accuracy), only the rule of three passes holds. O(1).
[[nodiscard]] bool learns_nothing(std::span<const SeenMetric> passes, double untrained,
                                  bool another = false);

}  // namespace surety::plan
