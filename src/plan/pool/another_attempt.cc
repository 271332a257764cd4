#include "plan/pool/another_attempt.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace surety::plan {
namespace {

constexpr double kLeastDeviation = 1.0 / 3;  // The unit is standard errors of an evaluation.

}  // namespace

double chance_of_another(std::span<const double> bests, double goal, double metric_se,
                         double more) {
  if (bests.size() < kAttemptsToCompare) return 1;
  const auto count = static_cast<double>(bests.size());
  const double deviation = std::max(std::sqrt(variance(bests)), kLeastDeviation * metric_se);
  // The next attempt deviates from the mean, and the mean of few attempts is itself uncertain.
  const double sd = deviation * std::sqrt(1 + 1 / count);
  const double distance = goal - mean(bests);
  if (sd <= 0) return distance >= 0 ? 1 : 0;
  const double one = student_probability(distance / sd, static_cast<unsigned>(bests.size() - 1));
  return -std::expm1(more * std::log1p(-std::min(one, 1 - 1e-12)));
}

}  // namespace surety::plan
