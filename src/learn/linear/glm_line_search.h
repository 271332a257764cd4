// The step length along the sum of all workers' updates: CoCoA with accelerated aggregation.
//
// Adding K updates is safe if each worker assumes sigma' = K. So large a sigma' is needed only if K
// workers correct the same errors on the same samples. Workers are seldom so similar. Here they
// assume sigma' = kLineSearchSigmaScale K, and the model moves along the sum as far as the dual
// rises. Along alpha + t d, from t = 0,
//
//   n D'(t) = S(t) - C(t)
//   S(t)    = sum_i -d_i (l*'(-(alpha_i + t d_i)) + w.x_i),   the derivative of l* being by alpha
//   C(t) = s (soft(v + t dv) - soft(v)).dv, without L1 norm: s t |dv|^2
//
// with v, s and soft of learn/linear/solver/glm_penalty.h. S is a sum over samples, and so over
// workers: each worker sends its part of S at the points kLineSteps together with the update. D is
// concave, so D' falls. Between two points D' is taken to be a line, which is exact for the hinge
// loss and the squared losses.
//
// The dual never falls. If the zero of the line lies between two points, the possible loss behind
// the maximum is less than the gain up to the left point, t_j D'(t_j). Up to the first point of all
// the dual rises: v + t sum_k dv_k is the mean of all v + t K dv_k, and the conjugate of the
// penalty is convex. So a worker whose local problem rose, for sigma' = 0.15 K, makes the dual rise
// for every t up to 0.15.
//
// It is slow to step to the peak of the line every time: as in steepest descent, the sums soon
// alternate between two directions, and so does the primal objective. Occasional shorter steps
// break the pattern (Raydan and Svaiter, "Relaxed steepest descent and Cauchy-Barzilai-Borwein
// method", Computational Optimization and Applications 21, 2002, who choose these steps at random;
// to shorten every second step works as well here, and is the same in every run). With
// kLineSearchSigmaScale 0.3 and each step to the peak, generated rows and 4 to 64 workers took 1.1
// to 2.3 times the passes to a small gap (bench/notes/elastic_sim.md).
//
// Asynchronous iterations (fabric/exchange) have no common model from which all updates start. Each
// worker assumes sigma' = `sigma_scale` K, and the model moves along the sum of a whole iteration
// to the peak of the dual, if there is one. A `sigma_scale` below 1 does not help there, because
// each update already corrects the errors of the one before.
//
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "learn/linear/kernels/glm_loss.h"
#include "learn/task.h"

namespace surety::learn {

// sigma' / K of an iteration with a line search.
inline constexpr double kLineSearchSigmaScale = 0.15;
inline constexpr std::array<double, kLinePoints> kLineSteps{0.15, 0.3, 0.6, 1};
using LinePoints = std::array<double, kLinePoints>;  // Values at kLineSteps.

// sigma' of K workers that learn in parallel from the same model. REQUIRES: workers >= 1.
[[nodiscard]] double sigma_of(std::uint32_t workers, bool line_search);

// sigma' / K of an asynchronous iteration, after an iteration with `sigma_scale` and the step
// `step`. 1 is enough if each worker has one update under way that the others have not seen. If
// more updates are under way because of a slow network, the sums are too long, possibly so long
// that no step along them makes the dual rise. Then workers must assume a larger sigma' until the
// steps are long enough again.
[[nodiscard]] double next_sigma_scale(double sigma_scale, double step);

// Adds -d l*'(-(alpha + t d)) of the samples, with d = to - from. An empty `from` means zeros.
// REQUIRES: equal sizes, values that the loss allows.
void add_slopes(Loss loss, std::span<const float> from, std::span<const float> to,
                std::span<const float> labels, LinePoints& sums);

// C(t) of the formula above. REQUIRES: equal sizes. O(features).
[[nodiscard]] LinePoints penalty_slopes(std::span<const double> v, std::span<const float> dv,
                                        double strength, double threshold);

// The step of every second iteration, as a share of the step to the peak.
inline constexpr double kCutShort = 2.0 / 3;
[[nodiscard]] constexpr double share_of_peak(std::uint64_t iteration) {
  return iteration % 2 == 0 ? kCutShort : 1;
}

struct LineLimits {
  // The shortest step. If all updates start from a common model, the dual rises up to kLineSteps[0]
  // (see above), while an extrapolation from the points beyond it is not fully reliable. It is 0
  // for asynchronous iterations.
  double shortest = kLineSteps[0] / 4;
  // The longest step. Steps beyond 1 are possible only if dual variables have no bounds.
  double longest = 1;
  double share = 1;  // The step as a share of the step to the peak.
};
inline constexpr double kLongestStep = 2;

// The step to take, given n D' at kLineSteps. ENSURES: the result is in [shortest, longest] *
// share, and the same arguments give the same bits. If no variable has moved, all steps are equally
// good. REQUIRES: 0 <= shortest <= kLineSteps[0]; 1 <= longest <= kLongestStep; 0 < share <= 1.
[[nodiscard]] double line_step(const LinePoints& rise, const LineLimits& limits);

}  // namespace surety::learn
