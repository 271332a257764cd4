// The penalty of a linear model: the term that is added to the losses so that weights stay small
// and, if it contains an L1 norm, most of them are exactly zero.
//
//   G(w) = l2/2 |w|^2 + l1 |w|_1                                        n times the objective's
//   G*(u) = sum_f max(0, |u_f| - l1)^2 / (2 l2)     with u = A alpha = sum_i alpha_i x_i
//
// With l2 > 0 the weights that belong to dual variables are w = soft(u / l2, l1 / l2). Workers sum
// and send u / l2, never w, because w is not a sum over samples (ProxSDCA: Shalev-Shwartz and
// Zhang, "Accelerated Proximal Stochastic Dual Coordinate Ascent for Regularized Loss
// Minimization", Mathematical Programming 155, 2016).
//
// A lasso has l2 = 0, and a small l2 makes ascent very slow. A fixed small l2 instead of 0 would
// solve another problem. Instead, every iteration ascends the dual of the proximal step
//
//   minimise  losses(w) + G(w) + centre/2 |w - y|^2    with w = soft(u/s + (centre/s) y, l1/s),
//
// s = l2 + centre >= 1, and each commit moves y to w. This is the proximal point method on the
// objective itself, in its dual form the augmented Lagrangian method (Tomioka and Sugiyama, "Dual
// Augmented Lagrangian", 2009). Its fixed point is the solution of the original problem. It is as
// well conditioned as lambda = 1 / n is without an L1 norm, and it takes hardly more iterations if
// the remaining features determine the losses. A step need not be solved to the end, because the
// certificate does not depend on it: the certificate is the gap of the original problem at w = y
// and at dual variables that are shrunk until they are feasible.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace surety::learn {

// The value nearest to 0 that is within `threshold` of v.
[[nodiscard]] inline double soft(double v, double threshold) {
  return v - std::fmin(std::fmax(v, -threshold), threshold);
}

struct Penalty {
  double l2 = 1;      // n times the L2 weight of the objective.
  double l1 = 0;      // n times the L1 weight of the objective.
  double centre = 0;  // Weight of the proximal term.

  [[nodiscard]] double strength() const { return l2 + centre; }  // s in the formula above.
  [[nodiscard]] double threshold() const { return l1 / strength(); }

  [[nodiscard]] double value(std::span<const double> w) const;
  // G(w) + G*(u) - u.w with u = shrink strength() sums: the penalty's term of the duality gap.
  // REQUIRES: shrink <= feasible_share(sums). ENSURES: the result is at least 0, and close to 0 if
  // w belongs to u.
  [[nodiscard]] double gap(std::span<const double> w, std::span<const double> sums,
                           double shrink) const;
  // The largest share of the dual variables, at most 1, at which G* is finite. It is 1 if l2 > 0.
  [[nodiscard]] double feasible_share(std::span<const double> sums) const;
};

// Penalty of the objective's lambda ((1 - l1_ratio)/2 |w|^2 + l1_ratio |w|_1). Without lambda it is
// 1 / samples.
// REQUIRES: lambda > 0, l1_ratio in [0, 1], samples > 0.
// ENSURES: there is a centre only with an L1 norm, and then strength() >= 1.
[[nodiscard]] Penalty penalty_of(std::optional<double> lambda, double l1_ratio,
                                 std::uint64_t samples);

// The weights of a committed model: its centre if it has one (Model::parent), otherwise the sums
// beyond the threshold. `l1_ratio` as above.
[[nodiscard]] std::vector<float> weights_of(std::span<const float> sums,
                                            std::span<const float> centre, double l1_ratio);

}  // namespace surety::learn
