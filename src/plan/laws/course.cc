#include "plan/laws/course.h"

#include <algorithm>

namespace surety::plan {
namespace {

// Standard deviation of the error that the curve itself has at each point, as a share of its scale.
// A run whose floor is slightly different would otherwise seem to be many times faster or slower.
constexpr double kMisfit = 3e-4;
constexpr double kNoiseMin = 0.02;  // Lower bound of the relative noise of a pass.

double square(double x) { return x * x; }

}  // namespace

double progress_seen(const Curve& curve, double rate, double expected, double metric) {
  const double progress = curve.progress(metric);
  if (progress < 2 * expected + rate) return progress;
  return expected + (metric - curve.at(expected)) / curve.slope(expected);
}

std::vector<Innovation> innovations(const Course& course, std::span<const FitPoint> points) {
  const Curve& curve = course.curve;
  const double point_variance = square(course.jitter) + square(kMisfit * curve.scale);
  std::vector<Innovation> result;
  double passes = 0;
  double progress = 0;
  double variance = 0;
  for (const FitPoint& point : points) {
    if (!(point.passes > 0)) continue;
    progress += course.rate * (point.passes - passes);
    variance += (point.passes - passes) * square(course.rate * std::max(course.noise, kNoiseMin));
    passes = point.passes;
    Innovation& one = result.emplace_back();
    one.metric = point.metric;
    one.expected = progress;
    one.slope = curve.slope(progress);
    if (!(one.slope < 0)) continue;
    one.off = progress_seen(curve, course.rate, progress, point.metric) - progress;
    one.variance = variance + point_variance / square(one.slope);
    const double gain = variance / *one.variance;
    progress += gain * one.off;
    variance *= 1 - gain;
  }
  return result;
}

}  // namespace surety::plan
