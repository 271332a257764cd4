#include "orchestrator/history/metric.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/statistics.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

MetricValue metric_of(plan::Metric metric, const proto::Sums& sums) {
  SURETY_CHECK(sums.samples() > 0);
  const double n = static_cast<double>(sums.samples());
  const double loss = sums.loss_sum() / n;
  std::optional<double> accuracy;
  if (sums.has_correct()) accuracy = static_cast<double>(sums.correct()) / n;
  switch (metric) {
    case plan::Metric::kValidationLoss: {
      const double variance = std::max(0.0, sums.loss_square_sum() / n - loss * loss);
      return {.value = loss, .se = std::sqrt(variance / n), .accuracy = accuracy};
    }
    case plan::Metric::kAccuracy:
      return {.value = accuracy.value_or(0),
              .se = share_se(accuracy.value_or(0), n),
              .accuracy = accuracy};
    case plan::Metric::kDualityGap: {
      const double objective = loss + sums.penalty() / n;
      const double gap = (sums.gap_sum() + sums.penalty_gap()) / n;
      return {.value = gap, .se = 0, .accuracy = accuracy, .objective = objective};
    }
  }
  SURETY_CHECK(false);
}

double for_planner(plan::Metric metric, double value) {
  return metric == plan::Metric::kAccuracy ? 1 - value : value;
}

bool meets(plan::Metric metric, double value, double target) {
  return metric == plan::Metric::kAccuracy ? value >= target : value <= target;
}

}  // namespace surety::orchestrator
