// Computes the promised metric from sums over samples.
#pragma once

#include <optional>

#include "plan/promise.h"

namespace surety::proto {
class Sums;
}  // namespace surety::proto

namespace surety::orchestrator {

struct MetricValue {
  double value = 0;                   // The value in the user's terms: loss, accuracy or gap.
  double se = 0;                      // Standard error; 0 for the gap, which is exact.
  std::optional<double> accuracy{};   // Share of correct answers; absent in a regression.
  std::optional<double> objective{};  // P(w); only for the gap.
};

// The loss is the mean; the accuracy is the share of correct answers. The duality gap P(w) -
// D(alpha) (Jaggi et al. 2014, CoCoA) is the sum of the terms of the samples and of the penalty
// (learn/task.h). REQUIRES: sums.samples() > 0.
[[nodiscard]] MetricValue metric_of(plan::Metric metric, const proto::Sums& sums);

// The planner minimises, so accuracy becomes 1 - accuracy.
[[nodiscard]] double for_planner(plan::Metric metric, double value);

// Whether the value reaches the target: an accuracy must be at least the target, and every other
// metric must be at most the target.
[[nodiscard]] bool meets(plan::Metric metric, double value, double target);

}  // namespace surety::orchestrator
