// Whether an attempt learns nothing, so that its learning rate is too high: by its metrics alone.
#pragma once

#include <span>

namespace surety::plan {

// On the deciding samples, as the planner minimises.
struct SeenMetric {
  double value = 0, se = 0;
};

// No better than the untrained model, within two standard errors.
[[nodiscard]] bool is_at_chance(const SeenMetric& seen, double untrained);

// `passes`: of one attempt, the newest last. It learns nothing where its last two passes are at
// chance and the metric does not fall (whether or not it had learned something before: a rate that
// is too high throws it back); one is enough where another attempt with the same rate stands there,
// too (`another`). Or where three passes on end stay near chance and do not fall.
//
// Networks that start slowly fall too, if by a thousandth a pass, which is more than the standard
// errors: they are left alone. Where the metric is not known as well (an accuracy), only three
// passes count. O(1).
[[nodiscard]] bool learns_nothing(std::span<const SeenMetric> passes, double untrained,
                                  bool another = false);

}  // namespace surety::plan
