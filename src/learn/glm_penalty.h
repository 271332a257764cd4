// The penalty of a linear model: what is added to the losses so that weights stay small, and, with
// an L1 norm in it, most of them exactly zero.
//
//   G(w) = l2/2 |w|^2 + l1 |w|_1                                        n times the objective's
//   G*(u) = sum_f max(0, |u_f| - l1)^2 / (2 l2)     with u = A alpha = sum_i alpha_i x_i
//
// With l2 > 0 the weights that belong to dual variables are  w = soft(u / l2, l1 / l2): what is
// summed and sent is u / l2, never w, because w is no sum (ProxSDCA: Shalev-Shwartz and Zhang,
// "Accelerated Proximal Stochastic Dual Coordinate Ascent for Regularized Loss Minimization",
// Mathematical Programming 155, 2016).
//
// A lasso has l2 = 0, and a small l2 makes ascent crawl. A fixed small l2 in its place would solve
// another problem. Instead every iteration ascends the dual of the proximal step
//
//   minimise  losses(w) + G(w) + centre/2 |w - y|^2    with w = soft(u/s + (centre/s) y, l1/s),
//
// s = l2 + centre >= 1, and each commit moves y to w. That is the proximal point method on the
// objective itself, in its dual form the augmented Lagrangian method (Tomioka and Sugiyama, "Dual
// Augmented Lagrangian", 2009): its fixed point is the solution of the problem that was asked for,
// it is as well conditioned as lambda = 1 / n is without L1 norm, and where the features that
// remain determine the losses it takes hardly more iterations. A step is not solved to the end;
// the certificate needs no such thing: it is the gap of the problem itself at w = y and at dual
// variables shrunk until they are feasible.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace surety::learn {

// Nearest to 0 within `threshold` of v.
[[nodiscard]] inline double soft(double v, double threshold) {
  return v - std::fmin(std::fmax(v, -threshold), threshold);
}

struct Penalty {
  double l2 = 1;      // n times the objective's.
  double l1 = 0;      // The same.
  double centre = 0;  // Weight of the proximal term; 0: there is none.

  [[nodiscard]] double strength() const { return l2 + centre; }  // s above
  [[nodiscard]] double threshold() const { return l1 / strength(); }

  [[nodiscard]] double value(std::span<const double> w) const;
  // G(w) + G*(u) - u.w of u = shrink strength() sums: what the penalty adds to the duality gap.
  // REQUIRES: shrink <= feasible_share(sums). ENSURES: 0 or more; next to it where w belongs to u.
  [[nodiscard]] double gap(std::span<const double> w, std::span<const float> sums,
                           double shrink) const;
  // The largest share of dual variables, up to 1, whose G* is finite: 1 where l2 > 0.
  [[nodiscard]] double feasible_share(std::span<const float> sums) const;
};

// lambda ((1 - l1_ratio)/2 |w|^2 + l1_ratio |w|_1); lambda 0 means 1 / samples.
// REQUIRES: lambda >= 0, l1_ratio in [0, 1], samples > 0.
// ENSURES: there is a centre only with an L1 norm, and strength() >= 1 then.
[[nodiscard]] Penalty penalty_of(double lambda, double l1_ratio, std::uint64_t samples);

// The weights that a committed model stands for: the centre where there is one (Model::parent),
// else the sums beyond the threshold. `l1_ratio` as above.
[[nodiscard]] std::vector<float> weights_of(std::span<const float> sums,
                                            std::span<const float> centre, double l1_ratio);

}  // namespace surety::learn
