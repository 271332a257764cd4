#include "plan/belief/learning_course.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace surety::plan {
namespace {

// Standard deviation of the error that every law has in the logarithm of the metric. It is also the
// least deviation of a checkpoint from its law.
constexpr double kLeastDeviation = 0.01;

// Checkpoints are often far above their law and rarely far below it. Below the law, the jitter is
// nearly normal (Student's t with 8 degrees of freedom); above it, the jitter is wider, with a
// heavy tail (2 degrees of freedom). The density is continuous, which fixes kBelow, the share that
// is below (with the lower half taken as normal).
constexpr double kWider = 1.35;
constexpr double kBelow = 0.397;

double log_jitter(double deviation, double sd) {
  const double z = deviation / sd;
  if (z < 0) return -std::log(sd) - 4.5 * std::log1p(z * z / 8);
  const double u = z / kWider;
  return -std::log(sd) - 1.5 * std::log1p(u * u / 2);
}

// Chance that the jitter is at most z standard deviations.
double jitter_probability(double z) {
  if (z < 0) return 2 * kBelow * normal_probability(z);
  const double u = z / kWider;
  return kBelow + (1 - kBelow) * u / std::sqrt(2 + u * u);
}

}  // namespace

double LearningCourse::metric(double more) const {
  const double t = (from + more) / scale;
  const double tp = std::pow(t, power);
  const double left = std::exp(exponential ? -tp : -tail / power * std::log1p(tp));
  return start * (floor + (1 - floor) * left);
}

double LearningCourse::chance(double more, double target) const {
  const double expected = metric(more);
  const double progress = 1 - expected / start;
  const double sd = std::max(kLeastDeviation, jitter * progress);
  return jitter_probability(std::log(target / expected) / sd);
}

double LearningCourse::log_density(double seen, double noise) const {
  const double expected = metric(0);
  const double spread = jitter * (1 - expected / start);
  const double sd = std::sqrt(spread * spread + noise * noise + kLeastDeviation * kLeastDeviation);
  return log_jitter(std::log(seen / expected), sd);
}

double LearningCourse::passes_to(double seen) const {
  const double left = (seen / start - floor) / (1 - floor);
  double t = 0;
  if (left <= 0) {
    t = kFarPasses;
  } else if (left < 1) {
    const double tp = exponential ? -std::log(left) : std::expm1(-std::log(left) * power / tail);
    t = std::pow(tp, 1 / power);
  }
  return t * scale;
}

void LearningCourse::stretch(double factor) {
  scale *= factor;
  from *= factor;
}

}  // namespace surety::plan
