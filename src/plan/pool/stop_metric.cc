#include "plan/pool/stop_metric.h"

#include <cmath>

#include "plan/statistics.h"

namespace surety::plan {
namespace {

constexpr double kSplitVariance = 1.25;  // Of the halves' difference, over that of two evaluations.
constexpr double kDegrees = 10;          // Of Student's distribution, for its tails.

// The quantile of Student's distribution where the normal one's is z: the first term of its
// expansion (Cornish and Fisher 1938).
double heavier(double z) { return z + z * (z * z + 1) / (4 * kDegrees); }

}  // namespace

double stop_metric(double target, double probability, double metric_se) {
  const double z = normal_quantile((1 + probability) / 2);
  return target - heavier(z) * std::sqrt(2 * kSplitVariance) * metric_se;
}

}  // namespace surety::plan
