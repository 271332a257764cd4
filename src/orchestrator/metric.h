// From sums over samples to the promised metric.
#pragma once

#include "plan/promise.h"

namespace surety::proto {
class Sums;
}  // namespace surety::proto

namespace surety::orchestrator {

struct MetricValue {
  double value = 0;      // In the user's terms: loss, accuracy or gap.
  double se = 0;         // Standard error; 0 for the gap, which is exact.
  double accuracy = 0;   // Where labels are classes, else 0.
  double objective = 0;  // P(w), for the gap only.
};

// Loss: the mean; accuracy: the share of correct answers; duality gap (Jaggi et al. 2014, CoCoA):
// P(w) - D(alpha), as the sum of what samples and penalty add to it (learn/task.h).
// REQUIRES: sums.samples() > 0.
[[nodiscard]] MetricValue metric_of(plan::Metric metric, const proto::Sums& sums);

// The planner minimises: accuracy becomes 1 - accuracy.
[[nodiscard]] double for_planner(plan::Metric metric, double value);

[[nodiscard]] bool meets(plan::Metric metric, double value, double target);

}  // namespace surety::orchestrator
