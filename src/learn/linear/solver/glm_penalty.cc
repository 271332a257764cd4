#include "learn/linear/solver/glm_penalty.h"

#include <algorithm>

#include "base/check.h"

namespace surety::learn {

double Penalty::value(std::span<const double> w) const {
  double square = 0;
  double sum = 0;
  for (const double weight : w) {
    square += weight * weight;
    sum += std::abs(weight);
  }
  return l2 / 2 * square + l1 * sum;
}

double Penalty::gap(std::span<const double> w, std::span<const double> sums, double shrink) const {
  double sum = 0;
  for (std::size_t f = 0; f < w.size(); ++f) {
    const double u = shrink * strength() * sums[f];
    const double beyond = soft(u, l1);
    const double conjugate = l2 > 0 ? beyond * beyond / (2 * l2) : 0;
    const double gap = l2 / 2 * w[f] * w[f] + l1 * std::abs(w[f]) + conjugate - u * w[f];
    sum += std::max(gap, 0.0);  // Only rounding can make it negative. NaN stays NaN.
  }
  return sum;
}

double Penalty::feasible_share(std::span<const double> sums) const {
  if (l2 > 0) return 1;
  double largest = 0;
  for (const double value : sums) largest = std::max(largest, std::abs(value));
  return std::min(1.0, l1 / (strength() * std::max(largest, threshold())));
}

Penalty penalty_of(std::optional<double> lambda, double l1_ratio, std::uint64_t samples) {
  SURETY_CHECK((!lambda || *lambda > 0) && l1_ratio >= 0 && l1_ratio <= 1 && samples > 0);
  const double lambda_n = lambda ? *lambda * static_cast<double>(samples) : 1;
  Penalty penalty{.l2 = lambda_n * (1 - l1_ratio), .l1 = lambda_n * l1_ratio};
  if (penalty.l1 == 0 || penalty.l2 >= 1) return penalty;
  // A larger centre makes ascent faster and the proximal steps slower. Rows of unit length need
  // about 1, and longer rows more; for longer rows the lambda that leaves some weights zero is
  // larger too.
  penalty.centre = std::max(1.0, std::sqrt(lambda_n)) - penalty.l2;
  return penalty;
}

std::vector<float> weights_of(std::span<const float> sums, std::span<const float> centre,
                              double l1_ratio) {
  if (!centre.empty()) return {centre.begin(), centre.end()};
  std::vector<float> weights(sums.begin(), sums.end());
  if (l1_ratio == 0) return weights;
  const double threshold = l1_ratio / (1 - l1_ratio);
  for (float& weight : weights) weight = static_cast<float>(soft(weight, threshold));
  return weights;
}

}  // namespace surety::learn
