#include "plan/pool/stop_metric.h"

#include <algorithm>
#include <cmath>

namespace surety::plan {
namespace {

constexpr double kSplitVariance = 1.25;  // Of the halves' difference, over that of two evaluations.
constexpr int kDegrees = 10;  // Of Student's distribution, for its tails. REQUIRES: an even number.
// Of the last drop, that an attempt counts with: steps become smaller, and some of a step is
// chance.
constexpr double kDropCounted = 0.75;
constexpr int kPlaces = 8;          // Within the drop, at which the chance is taken.
constexpr int kHalvings = 40;       // Of the interval that the margin is looked for in.
constexpr double kMostErrors = 20;  // Its length, in standard errors of the halves' difference.

// Student's distribution function (Abramowitz and Stegun, 26.7.4).
double student(double t) {
  const double angle = std::atan(t / std::sqrt(double{kDegrees}));
  const double square = std::cos(angle) * std::cos(angle);
  double term = 1, sum = 1;
  for (int i = 2; i <= kDegrees - 2; i += 2) {
    term *= square * (i - 1) / i;
    sum += term;
  }
  return (1 + std::sin(angle) * sum) / 2;
}

// That the other samples agree, where an attempt lies below `margin` anywhere within `drop`: all in
// standard errors of the halves' difference.
double agreement(double margin, double drop) {
  double sum = 0;
  for (int i = 0; i < kPlaces; ++i) sum += student(margin + drop * (i + 0.5) / kPlaces);
  return sum / kPlaces;
}

}  // namespace

double stop_metric(double target, double probability, double metric_se, double drop) {
  const double error = std::sqrt(2 * kSplitVariance) * metric_se;
  if (error <= 0) return target;
  const double counted = std::clamp(kDropCounted * drop / error, 0.0, kMostErrors);
  double low = 0, high = kMostErrors;
  if (agreement(low, counted) >= (1 + probability) / 2) return target;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (agreement(middle, counted) < (1 + probability) / 2 ? low : high) = middle;
  }
  return target - high * error;
}

void Fall::passed(double metric) {
  const double below = std::max(0.0, best_ - metric);
  drop_ = std::min(below, last_);
  last_ = below;
  best_ = std::min(best_, metric);
}

}  // namespace surety::plan
