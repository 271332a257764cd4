// The losses of generalised linear models, their convex conjugates, and the exact step of dual
// coordinate ascent for each.
//
// Key: z = w.x is the margin of a sample, y its label, alpha its dual variable, l the loss,
// l* its conjugate, so that l(z) = max over alpha of -alpha z - l*(-alpha).
//
//   loss       l(z)                  l*(-alpha)                          alpha lives in
//   kLogistic  log(1 + exp(-y z))    b log b + (1 - b) log(1 - b)        b = y alpha in [0, 1]
//   kHinge     max(0, 1 - y z)       -b                                  b = y alpha in [0, 1]
//   kSquaredHinge   max(0, 1 - y z)^2     b^2 / 4 - b                    b = y alpha >= 0
//   kSquared   (z - y)^2 / 2         alpha^2 / 2 - alpha y               the real line
//
// with y = -1 or +1 for the first three and real for the last (Shalev-Shwartz and Zhang,
// "Stochastic Dual Coordinate Ascent Methods for Regularized Loss Minimization", JMLR 14, 2013).
// Pure functions in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/check.h"

namespace surety::learn {

enum class Loss : std::uint8_t { kLogistic, kHinge, kSquaredHinge, kSquared };

[[nodiscard]] inline double loss_at(Loss loss, double z, double y);

// l*(-alpha). REQUIRES: l* is finite at -alpha.
[[nodiscard]] inline double conjugate_at(Loss loss, double alpha, double y);

// Derivative of l*(-alpha) by alpha, without the bounds of alpha. ENSURES: finite.
[[nodiscard]] inline double conjugate_slope_at(Loss loss, double alpha, double y);

// The alpha' that maximises -l*(-alpha') - (alpha' - alpha) z - q (alpha' - alpha)^2 / 2. This is
// the best value of this sample's dual variable if each unit of change moves the sample's own
// margin by q. REQUIRES: q >= 0. ENSURES: l* is finite at the result. For the logistic loss: 1e-9
// in the log odds, at most 100 steps (typically 3 to 5).
[[nodiscard]] double best_dual(Loss loss, double alpha, double y, double z, double q);

// One visit of dual coordinate ascent to a sample with the logistic loss: best_dual(), loss_at(),
// and the sample's term of the gap, l(z) + l*(-alpha) + alpha z. Two logarithms are enough if the
// sample is nearly at rest, as most samples are when training is nearly finished. REQUIRES: as for
// best_dual(). ENSURES: the dual variable is right to the precision of a float, the gap to a
// relative error of 1e-5.
struct LogisticVisit {
  double loss = 0;
  double gap = 0;
  double alpha = 0;
};
[[nodiscard]] LogisticVisit visit_logistic(double alpha, double y, double z, double q);

// Whether the loss allows this value of alpha (a NaN is never allowed).
[[nodiscard]] inline bool is_feasible(Loss loss, double alpha, double y);

// The definitions are inline, because the computation of a duality gap calls them for every sample.

// log(1 + e) with a relative error of 1e-12, in a third of the time of std::log1p. REQUIRES: 0 <= e
// <= 1.
inline double log_1_plus(double e) {
  // Below this limit, four terms of the series have a relative error of 2e-13. Above it, the error
  // by rounding of 1 + e is not larger.
  static constexpr double kSmall = 1e-3;
  return e < kSmall ? e * (1 - e * (0.5 - e * (1.0 / 3 - e / 4))) : std::log(1 + e);
}

inline double loss_at(Loss loss, double z, double y) {
  const double yz = y * z;
  switch (loss) {
    case Loss::kLogistic:
      return log_1_plus(std::exp(-std::abs(yz))) + std::max(0.0, -yz);
    case Loss::kHinge:
      return std::max(0.0, 1 - yz);
    case Loss::kSquaredHinge:
      return std::max(0.0, 1 - yz) * std::max(0.0, 1 - yz);
    case Loss::kSquared:
      return (z - y) * (z - y) / 2;
  }
  SURETY_CHECK(false);
}

inline double conjugate_at(Loss loss, double alpha, double y) {
  const double b = y * alpha;
  switch (loss) {
    case Loss::kLogistic:
      return (b > 0 ? b * std::log(b) : 0) + (b < 1 ? (1 - b) * std::log1p(-b) : 0);
    case Loss::kHinge:
      return -b;
    case Loss::kSquaredHinge:
      return b * b / 4 - b;
    case Loss::kSquared:
      return alpha * alpha / 2 - alpha * y;
  }
  SURETY_CHECK(false);
}

inline double conjugate_slope_at(Loss loss, double alpha, double y) {
  // Distance of b from the bounds, where the log odds are infinite. At the float next to 1, the log
  // odds are 17.
  static constexpr double kNearest = 1e-9;
  const double b = y * alpha;
  switch (loss) {
    case Loss::kLogistic: {
      const double inside = std::clamp(b, kNearest, 1 - kNearest);
      return y * std::log(inside / (1 - inside));
    }
    case Loss::kHinge:
      return -y;
    case Loss::kSquaredHinge:
      return y * (b / 2 - 1);
    case Loss::kSquared:
      return alpha - y;
  }
  SURETY_CHECK(false);
}

inline bool is_feasible(Loss loss, double alpha, double y) {
  if (loss == Loss::kSquared) return std::isfinite(alpha);
  if (loss == Loss::kSquaredHinge) return y * alpha >= 0 && std::isfinite(alpha);
  return y * alpha >= 0 && y * alpha <= 1;
}

}  // namespace surety::learn
