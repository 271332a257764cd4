#include "elastic/policy/rate_course.h"

#include <algorithm>
#include <cmath>

namespace surety::elastic {
namespace {

// kSpan: how far back the trend of a rate is measured, in ln(gap), about an order of magnitude.
// kStep: how far apart the windows are, so that there are few.
constexpr double kSpan = 2;
constexpr double kStep = kSpan / 32;
// Limit on how fast the rate sinks: ln(rate) per unit of -ln(gap). The trend of few windows may be
// chance, and a trend makes a try look better.
constexpr double kTrendMax = 0.5;

}  // namespace

void RateCourse::add(double depth, double rate) {
  if (!points_.empty() && depth < points_.back().x + kStep) return;
  points_.push_back({depth, std::log(rate)});
  std::erase_if(points_, [depth](const Observation& window) { return window.x <= depth - kSpan; });
}

// The larger the gap, the faster it falls.
double RateCourse::trend() const {
  if (points_.size() < 3) return 0;
  return std::clamp(-theil_sen_slope(points_), 0.0, kTrendMax);
}

}  // namespace surety::elastic
