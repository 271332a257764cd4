// One learning curve from a handful of points.
//
// Candidates: power law x = f + a (1 + G k)^-b and geometric decay x = f + a e^(-G k); for given G
// and b both are linear in f and a, so those are solved for and the rest is searched on a grid and
// refined (variable projection, Golub and Pereyra 1973). The better fit wins; where both fit alike
// it is the power law, which promises less. Four to eight points say little about a floor, so
// 0 <= f <= lowest point, and b is drawn weakly to 0.75.
#pragma once

#include <limits>
#include <span>

#include "plan/types.h"

namespace surety::plan {

// Bounds of a curve's exponent and of a pass's progress, and the usual exponent.
inline constexpr double kExponentMin = 0.2, kExponentMax = 3, kExponentUsual = 0.75;
inline constexpr double kRateMin = 1e-3, kRateMax = 100;

struct FitPoint {
  double passes = 0;
  double metric = 0;
  double se = 0;  // Of the metric; 0 where unknown.
};

struct CurveFit {
  Curve curve;
  double rate = 0;   // Progress of one pass.
  double error = 0;  // Root mean square residual, divided by the drop of the points.
  double score = 0;  // Weighed sum of squares that the fit minimised.
};

// `floor_max`: the floor is known not to be above; 0: the metric falls to zero (a duality gap).
// `near`: a fit to similar points, to start the power law from instead of from a grid.
// REQUIRES: at least two points, finite. ENSURES: scale > 0, rate > 0, floor >= 0 where the metrics
// are. O(points * grid), some thousand evaluations of a curve.
[[nodiscard]] CurveFit fit_curve(std::span<const FitPoint> points,
                                 double floor_max = std::numeric_limits<double>::infinity(),
                                 const CurveFit* near = nullptr);

// Root mean square residual, divided by the drop of the points.
[[nodiscard]] double fit_error(const Curve& curve, double rate, std::span<const FitPoint> points);

// ln(rate of this seed / rate), within [-2, 2], to some 1e-4: least squares in the metric, never by
// inverting the curve, which would blow up at the floor. A curve without slope gives 0. A guess
// that nothing upsets; run_rate.h does better from there.
[[nodiscard]] double fit_log_rate(const Curve& curve, double rate,
                                  std::span<const FitPoint> points);

}  // namespace surety::plan
