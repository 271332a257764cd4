// Anderson extrapolation of coordinate ascent: it guesses the limit of passes over the same rows in
// the same order from the last few of them.
//
// Near the optimum a pass is an affine map of the dual variables, x_{k+1} = T x_k + b. The
// combination  sum_k c_k x_k  with  sum_k c_k = 1  whose step is shortest,
//   c = argmin || sum_k c_k (x_k - x_{k-1}) ||,
// is far closer to the fixed point of this map than the last x (Bertrand and Massias, "Anderson
// acceleration of coordinate descent", AISTATS 2021). The result is a guess: the caller checks that
// it is better.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace surety::learn {

class Extrapolation {
 public:
  // Vectors have this size, and a guess needs `steps` steps. REQUIRES: steps >= 2.
  explicit Extrapolation(std::size_t size = 0, std::size_t steps = 5);

  // Begins a new series: forgets the points of the last one.
  void restart() { points_ = 0; }
  // Begins a new series of vectors of another size.
  void restart(std::size_t size);
  // The next point of the series, which the caller writes. REQUIRES: !full().
  [[nodiscard]] std::span<float> next();
  // Whether the series has enough points for a guess: steps + 1.
  [[nodiscard]] bool full() const { return points_ == steps_ + 1; }

  // The extrapolated point. REQUIRES: full(). O(steps^2 size).
  [[nodiscard]] std::vector<double> guess() const;

 private:
  [[nodiscard]] const float* point(std::size_t k) const { return series_.data() + k * size_; }
  [[nodiscard]] std::vector<double> weights() const;

  std::size_t size_ = 0;
  std::size_t steps_;
  std::size_t points_ = 0;
  std::vector<float> series_;  // steps + 1 points; memory of longer series is kept behind them.
};

}  // namespace surety::learn
