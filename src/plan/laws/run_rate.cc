#include "plan/laws/run_rate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace surety::plan {
namespace {

constexpr double kLogMax = 2;

}  // namespace

RunRate fit_run_rate(const VersionLaw& law, std::span<const FitPoint> points, double start) {
  static constexpr int kSteps = 3;
  static constexpr double kStepMax = 0.5;
  static constexpr double kDifference = 1e-3;
  static constexpr double kOffMax = 3;
  const auto course = [&](double log_rate) {
    return Course{law.curve, law.rate * std::exp(log_rate), law.noise, law.jitter};
  };
  RunRate rate{.log = start};
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<Innovation> here = innovations(course(rate.log), points);
    const std::vector<Innovation> faster = innovations(course(rate.log + kDifference), points);
    double pull = 0;
    double information = 0;
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (!(here[k].variance > 0) || !(faster[k].variance > 0)) continue;
      const double deviation = std::sqrt(*here[k].variance);
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
