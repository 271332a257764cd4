#include "elastic/policy/rate_course.h"

#include <algorithm>
#include <cmath>

namespace surety::elastic {
namespace {

// kSpan: the range of ln(gap) over which the trend of a rate is measured, about an order of
// magnitude. kStep: the distance between windows, which limits their number.
constexpr double kSpan = 2;
constexpr double kStep = kSpan / 32;
// Limit on the trend: the fall of ln(rate) per unit of -ln(gap). The trend of few windows may be
// due to chance, and a trend makes a try look better.
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
