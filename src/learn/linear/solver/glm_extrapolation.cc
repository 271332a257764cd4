#include "learn/linear/solver/glm_extrapolation.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::learn {
namespace {

// Solves m x = 1 for a symmetric positive definite m, by Gaussian elimination, which needs no
// pivots for such an m.
std::vector<double> solve_for_ones(std::vector<double> m, std::size_t n) {
  std::vector<double> x(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t row = i + 1; row < n; ++row) {
      const double factor = m[row * n + i] / m[i * n + i];
      for (std::size_t k = i; k < n; ++k) m[row * n + k] -= factor * m[i * n + k];
      x[row] -= factor * x[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= m[i * n + k] * x[k];
    x[i] /= m[i * n + i];
  }
  return x;
}

// (a1 - a0).(b1 - b0). The differences are float and the products double. Because the sums are
// independent, the compiler can use vector instructions.
double dot_of_steps(const float* a0, const float* a1, const float* b0, const float* b1,
                    std::size_t size) {
  static constexpr std::size_t kLanes = 8;
  double sum[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      sum[k] += double{a1[i + k] - a0[i + k]} * double{b1[i + k] - b0[i + k]};
    }
  }
  for (; i < size; ++i) sum[0] += double{a1[i] - a0[i]} * double{b1[i] - b0[i]};
  double total = 0;
  for (const double part : sum) total += part;
  return total;
}

}  // namespace

Extrapolation::Extrapolation(std::size_t size, std::size_t steps) : steps_(steps) {
  SURETY_CHECK(steps >= 2);
  restart(size);
}

// The memory never shrinks, because fresh memory costs as much time as filling it.
void Extrapolation::restart(std::size_t size) {
  points_ = 0;
  size_ = size;
  series_.resize(std::max(series_.size(), size * (steps_ + 1)));
}

std::span<float> Extrapolation::next() {
  SURETY_CHECK(!full());
  return std::span(series_).subspan(points_++ * size_, size_);
}

// Minimises c'Uc for the Gram matrix U of the steps under sum c = 1: c is proportional to U^-1 1.
std::vector<double> Extrapolation::weights() const {
  // Added to the diagonal, as a share of the trace: U is nearly singular once steps become similar,
  // and then all c are about equally good.
  static constexpr double kRidge = 1e-8;
  std::vector<double> gram(steps_ * steps_);
  double trace = 0;
  for (std::size_t i = 0; i < steps_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double dot = dot_of_steps(point(i), point(i + 1), point(j), point(j + 1), size_);
      gram[i * steps_ + j] = gram[j * steps_ + i] = dot;
    }
    trace += gram[i * steps_ + i];
  }
  // If nothing moved, all points are the same.
  for (std::size_t i = 0; i < steps_; ++i) gram[i * steps_ + i] += trace > 0 ? kRidge * trace : 1;
  std::vector<double> c = solve_for_ones(std::move(gram), steps_);
  double sum = 0;
  for (const double value : c) sum += value;
  for (double& value : c) value /= sum;
  return c;
}

std::vector<double> Extrapolation::guess() const {
  SURETY_CHECK(full());
  const std::vector<double> c = weights();
  std::vector<double> x(size_, 0.0);
  for (std::size_t k = 0; k < steps_; ++k) {
    const float* at = point(k + 1);
    for (std::size_t i = 0; i < size_; ++i) x[i] += c[k] * at[i];
  }
  return x;
}

}  // namespace surety::learn
