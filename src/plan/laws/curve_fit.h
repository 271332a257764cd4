// One learning curve from a handful of points.
//
// Candidates are the power law x = f + a (1 + G k)^-b and geometric decay x = f + a e^(-G k). For
// given G and b both are linear in f and a, so these are solved for; the others are searched on a
// grid and refined (variable projection, Golub and Pereyra 1973). The better fit wins. If both fit
// equally well, the power law is chosen, because it promises less. Four to eight points show little
// about a floor, so 0 <= f <= lowest point, and a weak prior pulls b towards 0.75.
#pragma once

#include <limits>
#include <span>

#include "plan/types.h"

namespace surety::plan {

// Bounds of a curve's exponent and of a pass's progress, and the usual exponent.
inline constexpr double kExponentMin = 0.2;
inline constexpr double kExponentMax = 3;
inline constexpr double kExponentUsual = 0.75;
inline constexpr double kRateMin = 1e-3;
inline constexpr double kRateMax = 100;

struct FitPoint {
  double passes = 0;
  double metric = 0;
  double se = 0;  // Standard error of the metric; 0 for the duality gap, which is exact.
};

struct CurveFit {
  Curve curve;
  double rate = 0;   // Progress of one pass.
  double error = 0;  // Root mean square residual, divided by the drop of the points.
  double score = 0;  // Weighted sum of squares that the fit minimised.
};

// `floor_max`: an upper limit that is known for the floor: 0 for the duality gap, which falls to 0.
// `near`: a fit to similar points; the search for the power law starts from it instead of a grid.
// REQUIRES: at least two points, all finite.
// ENSURES: scale > 0, rate > 0, and floor >= 0 if the metrics are.
// O(points * grid), with some thousand evaluations of a curve.
[[nodiscard]] CurveFit fit_curve(std::span<const FitPoint> points,
                                 double floor_max = std::numeric_limits<double>::infinity(),
                                 const CurveFit* near = nullptr);

// Root mean square residual, divided by the drop of the points.
[[nodiscard]] double fit_error(const Curve& curve, double rate, std::span<const FitPoint> points);

// ln(rate of this seed / rate), within [-2, 2] and precise to about 1e-4. It uses least squares in
// the metric and never inverts the curve, which would be unstable near the floor. A curve without
// slope gives 0. This is a robust first guess; run_rate.h improves on it.
[[nodiscard]] double fit_log_rate(const Curve& curve, double rate,
                                  std::span<const FitPoint> points);

}  // namespace surety::plan
