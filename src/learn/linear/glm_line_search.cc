#include "learn/linear/glm_line_search.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace {

// The zero of the line through two neighbouring points, of which `j` is the left one.
// REQUIRES: rise[j] > rise[j + 1].
double zero_of(const LinePoints& rise, std::size_t j) {
  const double width = kLineSteps[j + 1] - kLineSteps[j];
  return kLineSteps[j] + width * rise[j] / (rise[j] - rise[j + 1]);
}

// The step to the maximum of D within the limits.
double peak_of(const LinePoints& rise, const LineLimits& limits) {
  const auto falls = std::find_if(rise.begin(), rise.end(), [](double d) { return !(d > 0); });
  const auto j = static_cast<std::size_t>(falls - rise.begin());
  if (j == 0) {
    if (!(rise[0] > rise[1])) return kLineSteps[0];  // No variable has moved.
    return std::clamp(zero_of(rise, 0), limits.shortest, kLineSteps[0]);
  }
  if (j < kLinePoints) return zero_of(rise, j - 1);
  if (limits.longest == 1 || !(rise[2] > rise[3])) return limits.longest;
  return std::clamp(zero_of(rise, 2), 1.0, limits.longest);
}

}  // namespace

double sigma_of(std::uint32_t workers, bool line_search) {
  SURETY_CHECK(workers >= 1);
  return line_search ? std::max(1.0, kLineSearchSigmaScale * workers) : workers;
}

double next_sigma_scale(double sigma_scale, double step) {
  static constexpr double kTooLong = 0.5;
  static constexpr double kRelax = 0.9;
  static constexpr double kSigmaScaleMin = 0.7;
  static constexpr double kSigmaScaleMax = 16;
  return step < kTooLong ? std::min(2 * sigma_scale, kSigmaScaleMax)
                         : std::max(kSigmaScaleMin, kRelax * sigma_scale);
}

void add_slopes(Loss loss, std::span<const float> from, std::span<const float> to,
                std::span<const float> labels, LinePoints& sums) {
  SURETY_CHECK(to.size() == labels.size() && (from.empty() || from.size() == to.size()));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double before = from.empty() ? 0.0 : from[i];
    const double change = to[i] - before;
    if (change == 0) continue;
    for (std::size_t j = 0; j < kLinePoints; ++j) {
      const double alpha = before + kLineSteps[j] * change;
      sums[j] -= change * conjugate_slope_at(loss, alpha, labels[i]);
    }
  }
}

LinePoints penalty_slopes(std::span<const double> v, std::span<const float> dv, double strength,
                          double threshold) {
  SURETY_CHECK(v.size() == dv.size());
  LinePoints sums{};
  for (std::size_t f = 0; f < v.size(); ++f) {
    if (dv[f] == 0) continue;
    const double weight = soft(v[f], threshold);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += (soft(v[f] + kLineSteps[j] * dv[f], threshold) - weight) * dv[f];
    }
  }
  for (double& sum : sums) sum *= strength;
  return sums;
}

double line_step(const LinePoints& rise, const LineLimits& limits) {
  SURETY_CHECK(limits.shortest >= 0 && limits.shortest <= kLineSteps[0]);
  SURETY_CHECK(limits.longest >= 1 && limits.longest <= kLongestStep);
  SURETY_CHECK(limits.share > 0 && limits.share <= 1);
  return peak_of(rise, limits) * limits.share;
}

}  // namespace surety::learn
