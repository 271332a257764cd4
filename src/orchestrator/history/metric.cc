#include "orchestrator/history/metric.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

MetricValue metric_of(plan::Metric metric, const proto::Sums& sums) {
  SURETY_CHECK(sums.samples() > 0);
  const double n = static_cast<double>(sums.samples());
  const double loss = sums.loss_sum() / n;
  const double accuracy = static_cast<double>(sums.correct()) / n;
  switch (metric) {
    case plan::Metric::kValidationLoss: {
      const double variance = std::max(0.0, sums.loss_square_sum() / n - loss * loss);
      return {.value = loss, .se = std::sqrt(variance / n), .accuracy = accuracy};
    }
    case plan::Metric::kAccuracy: {
      // If all answers are correct, or all are wrong, the accuracy on other samples is still
      // uncertain. One more correct and one more wrong answer give an estimate of this uncertainty
      // (Laplace's rule of succession).
      const bool is_extreme = sums.correct() == 0 || sums.correct() == sums.samples();
      const double share =
          is_extreme ? (static_cast<double>(sums.correct()) + 1) / (n + 2) : accuracy;
      return {.value = accuracy, .se = std::sqrt(share * (1 - share) / n), .accuracy = accuracy};
    }
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
