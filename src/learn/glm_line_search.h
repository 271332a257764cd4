// How far to follow the sum of all workers' updates: CoCoA with accelerated aggregation.
//
// Adding K updates is safe where each worker assumes sigma' = K, which is what K workers that fix
// the same samples' errors need. Seldom are they so alike: here they assume kBoldness K, and the
// sum is followed as far as the dual rises. Along alpha + t d, from t = 0,
//
//   n D'(t) = S(t) - C(t)
//   S(t)    = sum_i -d_i (l*'(-(alpha_i + t d_i)) + w.x_i),   the derivative of l* being by alpha
//   C(t)    = s (soft(v + t dv) - soft(v)).dv,                which without L1 norm is s t |dv|^2
//
// with v, s and soft of learn/glm_penalty.h. S is a sum over samples, thus over workers, who each
// send theirs at the points kLineSteps beside the update. D is concave, so D' falls. Between two
// points it is taken to be a line, which is exact for the hinge and the squared losses.
//
// The dual never falls. Where the line's zero lies between two points, what may be lost behind the
// maximum is less than what was won up to the first of them, t_j D'(t_j). Up to the first point
// everything rises: v + t sum_k dv_k is the mean of all v + t K dv_k, the conjugate of the penalty
// is convex, and so a worker whose local problem rose, for sigma' = 0.15 K, makes the dual rise for
// every t up to 0.15.
//
// Always going to the peak of the line is slow: as in steepest descent, the sums soon alternate
// between two directions, and the primal objective with them. To stop short now and then breaks the
// pattern (Raydan and Svaiter, "Relaxed steepest descent and Cauchy-Barzilai-Borwein method",
// Computational Optimization and Applications 21, 2002, who do it at random; every second step is
// as good here, and the same in every run). With kBoldness 0.3 and each step to the peak, drawn
// rows and 4 to 64 workers took 1.1 to 2.3 times the passes to a small gap (bench/RESULTS.md).
//
// Asynchronous iterations (fabric/exchange) have no common model that all updates start from: each
// worker assumes `care` K, and the sum of a whole iteration is followed to its peak, if there is
// one at all. Boldness does not pay there: what is wrong with a piece is met by the next one.
//
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "learn/glm_loss.h"
#include "learn/task.h"

namespace surety::learn {

// sigma' / K.
inline constexpr double kBoldness = 0.15;
inline constexpr std::array<double, kLinePoints> kLineSteps{0.15, 0.3, 0.6, 1};
using LinePoints = std::array<double, kLinePoints>;  // Values at kLineSteps.

// sigma' of K workers that learn side by side from the same model. REQUIRES: workers >= 1.
[[nodiscard]] double sigma_of(std::uint32_t workers, bool line_search);

// sigma' / K of an asynchronous iteration, after one with `care` that was followed so far. K is
// enough where each worker has one update under way that the others have not seen; where a slow
// network lets more of them cross, the sums are too long, maybe so that no step along them makes
// the dual rise, and workers must be more careful until they are not.
[[nodiscard]] double next_care(double care, double step);

// Adds -d l*'(-(alpha + t d)) of the samples, d = to - from. `from` empty: zeros.
// REQUIRES: equal sizes, values that the loss allows.
void add_slopes(Loss loss, std::span<const float> from, std::span<const float> to,
                std::span<const float> labels, LinePoints& sums);

// C. REQUIRES: equal sizes. O(features).
[[nodiscard]] LinePoints penalty_slopes(std::span<const double> v, std::span<const float> dv,
                                        double strength, double threshold);

// What is followed of the way to the peak.
inline constexpr double kCutShort = 2.0 / 3;
[[nodiscard]] constexpr double share_of_peak(std::uint64_t iteration) {
  return iteration % 2 == 0 ? kCutShort : 1;
}

struct LineLimits {
  // Updates of a common model make the dual rise up to kLineSteps[0] (above), but what is
  // extrapolated from beyond it is not to be trusted altogether. Asynchronous: 0.
  double shortest = kLineSteps[0] / 4;
  // Steps beyond 1 are for dual variables without bounds; still, no longer than this.
  double longest = 1;
  double share = 1;  // Of the way to the peak.
};
inline constexpr double kLongestStep = 2;

// The step to follow, given n D'. ENSURES: in [shortest, longest] * share; the same bits for the
// same bits. Where nothing moved any step is as good.
// REQUIRES: 0 <= shortest <= kLineSteps[0]; 1 <= longest <= kLongestStep; 0 < share <= 1.
[[nodiscard]] double line_step(const LinePoints& rise, const LineLimits& limits);

}  // namespace surety::learn
