#include "plan/laws/run_rate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace surety::plan {
namespace {

constexpr double kLogMax = 2;
// Of a point, as a share of the curve's scale: no curve is believed further. It keeps seeds that
// end at slightly different floors from counting as many times faster or slower.
constexpr double kMisfit = 3e-4;
// Of a pass, relative: a law without noise would believe its first point for ever.
constexpr double kNoiseMin = 0.02;

double square(double x) { return x * x; }

struct Innovation {
  double expected = 0;  // Progress, by the points before.
  double off = 0;       // What the point shows beyond it.
  double variance = 0;  // Of that; 0 where the curve is flat.
};

// Of the points after the untrained one, which the run starts from at progress 0.
std::vector<Innovation> innovations(const VersionLaw& law, std::span<const FitPoint> points,
                                    double log_rate) {
  const double rate = law.rate * std::exp(log_rate);
  const double point_variance = square(law.jitter) + square(kMisfit * law.curve.scale);
  std::vector<Innovation> result;
  double passes = 0, progress = 0, variance = 0;
  for (const FitPoint& point : points) {
    if (!(point.passes > 0)) continue;
    progress += rate * (point.passes - passes);
    variance += (point.passes - passes) * square(rate * std::max(law.noise, kNoiseMin));
    passes = point.passes;
    Innovation& one = result.emplace_back();
    const double slope = law.curve.slope(progress);
    if (!(slope < 0)) continue;
    one.expected = progress;
    one.off = progress_seen(law.curve, rate, progress, point.metric) - progress;
    one.variance = variance + point_variance / square(slope);
    const double gain = variance / one.variance;
    progress += gain * one.off;
    variance *= 1 - gain;
  }
  return result;
}

}  // namespace

double progress_seen(const Curve& curve, double rate, double expected, double metric) {
  const double progress = curve.progress(metric);
  if (progress < 2 * expected + rate) return progress;
  return expected + (metric - curve.at(expected)) / curve.slope(expected);
}

RunRate fit_run_rate(const VersionLaw& law, std::span<const FitPoint> points, double start) {
  static constexpr int kSteps = 3;
  static constexpr double kStepMax = 0.5, kDifference = 1e-3, kOffMax = 3;
  RunRate rate{start, 0};
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<Innovation> here = innovations(law, points, rate.log);
    const std::vector<Innovation> faster = innovations(law, points, rate.log + kDifference);
    double pull = 0, information = 0;
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (!(here[k].variance > 0) || !(faster[k].variance > 0)) continue;
      const double deviation = std::sqrt(here[k].variance);
      const double change = (faster[k].expected - here[k].expected) / kDifference / deviation;
      pull += change * std::clamp(here[k].off / deviation, -kOffMax, kOffMax);
      information += change * change;
    }
    if (!(information > 0) || !std::isfinite(information) || !std::isfinite(pull)) break;
    rate.variance = 1 / information;
    const double step = std::clamp(pull / information, -kStepMax, kStepMax);
    rate.log = std::clamp(rate.log + step, -kLogMax, kLogMax);
  }
  return rate;
}

}  // namespace surety::plan
