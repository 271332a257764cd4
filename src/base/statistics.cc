#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/random.h"

namespace surety {

double quantile(std::vector<double> values, double p) {
  SURETY_CHECK(!values.empty() && p >= 0 && p <= 1);
  const double at = p * static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), place, values.end());
  const double below = *place;
  const double above =
      place + 1 == values.end() ? below : *std::min_element(place + 1, values.end());
  return below + (at - std::floor(at)) * (above - below);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double mean(std::span<const double> values) {
  SURETY_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size() - 1);
}

double share_se(double share, double count) {
  SURETY_CHECK(share >= 0 && share <= 1 && count > 0);
  const bool is_extreme = share == 0 || share == 1;
  const double estimate = is_extreme ? (share * count + 1) / (count + 2) : share;
  return std::sqrt(estimate * (1 - estimate) / count);
}

double variance_below(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  double below = 0;
  for (const double value : values) {
    if (value >= centre) continue;
    squares += (value - centre) * (value - centre);
    below += 1;
  }
  const auto count = static_cast<double>(values.size());
  return below > 0 ? squares / below * count / (count - 1) : 0;
}

std::size_t may_fail(std::size_t count, double confidence) {
  // It corrects rounding errors: for 60 values at 0.9, 60 (1 - 0.9) is slightly below 6.
  static constexpr double kRounding = 1e-9;
  return static_cast<std::size_t>((1 - confidence) * static_cast<double>(count) + kRounding);
}

double percentile_of(std::vector<double> values, double confidence) {
  SURETY_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  return values[std::min(may_fail(values.size(), confidence), values.size() - 1)];
}

double normal_quantile(double p) {
  SURETY_CHECK(p > 0 && p < 1);
  static constexpr double kA[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                                  -2.759285104469687e+02, 1.383577518672690e+02,
                                  -3.066479806614716e+01, 2.506628277459239e+00};
  static constexpr double kB[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                                  -1.556989798598866e+02, 6.680131188771972e+01,
                                  -1.328068155288572e+01};
  static constexpr double kC[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                                  -2.400758277161838e+00, -2.549732539343734e+00,
                                  4.374664141464968e+00,  2.938163982698783e+00};
  static constexpr double kD[] = {7.784695709041462e-03, 3.224671290700398e-01,
                                  2.445134137142996e+00, 3.754408661907416e+00};
  // The tail formula is used below this and above 1 - this.
  static constexpr double kTail = 0.02425;
  if (p > kTail && p < 1 - kTail) {
    const double q = p - 0.5;
    const double r = q * q;
    return (((((kA[0] * r + kA[1]) * r + kA[2]) * r + kA[3]) * r + kA[4]) * r + kA[5]) * q /
           (((((kB[0] * r + kB[1]) * r + kB[2]) * r + kB[3]) * r + kB[4]) * r + 1);
  }
  const double q = std::sqrt(-2 * std::log(p < 0.5 ? p : 1 - p));
  const double x = (((((kC[0] * q + kC[1]) * q + kC[2]) * q + kC[3]) * q + kC[4]) * q + kC[5]) /
                   ((((kD[0] * q + kD[1]) * q + kD[2]) * q + kD[3]) * q + 1);
  return p < 0.5 ? x : -x;
}

double normal_probability(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double student_probability(double t, unsigned degrees) {
  SURETY_CHECK(degrees >= 1);
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  // The terms of the series; each follows from the one before.
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1;
  double sum = 0;
  for (unsigned i = is_odd ? 2 : 1; i < degrees; i += 2) {
    sum += term;
    term *= cosine * cosine * i / (i + 1);
  }
  const double within =
      is_odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 + std::copysign(within, t)) / 2;
}

double binomial_lower(std::uint32_t successes, std::uint32_t runs, double confidence) {
  SURETY_CHECK(runs > 0 && successes <= runs);
  if (successes == 0) return 0;
  const double n = runs;
  // Chance of this many successes or more, which rises with p. Summed from the logarithms of its
  // terms.
  const auto tail = [&](double p) {
    double sum = 0;
    for (std::uint32_t k = successes; k <= runs; ++k) {
      const double log_chance = std::lgamma(n + 1) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1) +
                                k * std::log(p) + (n - k) * std::log1p(-p);
      sum += std::exp(log_chance);
    }
    return sum;
  };
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > 1 - confidence ? high : low) = middle;
  }
  return low;
}

double log_of_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

CounterNormal::CounterNormal(std::uint64_t seed, std::uint64_t run)
    : key_(mix64(mix64(seed) ^ mix64(run + 1))) {}

double CounterNormal::at(std::uint32_t pass, std::uint32_t use) const {
  return normal_quantile(uniform(pass, use));
}

double CounterNormal::uniform(std::uint32_t pass, std::uint32_t use) const {
  const std::uint64_t counter = (static_cast<std::uint64_t>(pass) << 8) | use;
  const std::uint64_t bits = mix64(key_ ^ mix64(counter));
  // The middle of one of 2^53 equal cells, so never 0 or 1.
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace surety
