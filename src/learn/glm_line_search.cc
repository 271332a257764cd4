#include "learn/glm_line_search.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "learn/glm_penalty.h"

namespace surety::learn {
namespace {

constexpr double kStep = kLineSteps[0];  // Between two points.
// Below it a line that was extrapolated is not to be trusted.
constexpr double kShortest = kStep / 4;

// Where the line through (at, left) and (at + kStep, right) is zero. REQUIRES: left > right.
double zero_of(double at, double left, double right) { return at + kStep * left / (left - right); }

}  // namespace

double sigma_of(std::uint32_t workers, bool line_search) {
  SURETY_CHECK(workers >= 1);
  return line_search ? std::max(1.0, kBoldness * workers) : workers;
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

double line_step(const LinePoints& rise, double longest) {
  SURETY_CHECK(longest >= 1 && longest <= kLongestStep);
  const auto falls = std::find_if(rise.begin(), rise.end(), [](double d) { return !(d > 0); });
  const auto j = static_cast<std::size_t>(falls - rise.begin());
  if (j == 0) {
    if (!(rise[0] > rise[1])) return kStep;  // Nothing moved.
    return std::clamp(zero_of(kLineSteps[0], rise[0], rise[1]), kShortest, kStep);
  }
  if (j < kLinePoints) return zero_of(kLineSteps[j - 1], rise[j - 1], rise[j]);
  if (longest == 1 || !(rise[2] > rise[3])) return longest;
  return std::clamp(zero_of(kLineSteps[2], rise[2], rise[3]), 1.0, longest);
}

}  // namespace surety::learn
