#include "plan/belief/stop_metric.h"

#include <cmath>

#include "base/statistics.h"

namespace surety::plan {
namespace {

// Factor on the variance of the difference of two evaluations.
constexpr double kChoiceVariance = 1.25;
constexpr double kDegrees = 10;  // Degrees of freedom of Student's distribution, for its tails.

// The quantile of Student's distribution at the same probability as the normal quantile z: the
// first term of its expansion (Cornish and Fisher 1938).
double heavier(double z) { return z + z * (z * z + 1) / (4 * kDegrees); }

}  // namespace

double stop_metric(double target, double probability, double metric_se, bool steadily) {
  const double z = normal_quantile((1 + probability) / 2);
  const double errors = steadily ? z * std::sqrt(2) : heavier(z) * std::sqrt(2 * kChoiceVariance);
  return target - errors * metric_se;
}

double lucky_metric(double target, double probability, double metric_se) {
  return 2 * target - stop_metric(target, probability, metric_se, true);
}

void Fall::on_pass(double metric) {
  ++passes_;
  on_end_ = metric < best_ ? on_end_ + 1 : 0;
  best_ = std::min(best_, metric);
}

}  // namespace surety::plan
