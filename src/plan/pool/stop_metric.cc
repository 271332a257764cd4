#include "plan/pool/stop_metric.h"

#include <cmath>

#include "plan/statistics.h"

namespace surety::plan {
namespace {

constexpr double kSplitVariance = 1.5;  // Of the halves' difference, over that of two evaluations.

}  // namespace

double stop_metric(double target, double probability, double metric_se) {
  const double z = normal_quantile((1 + probability) / 2);
  return target - z * std::sqrt(2 * kSplitVariance) * metric_se;
}

}  // namespace surety::plan
