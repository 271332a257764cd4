// How fast one run learns, beside its law: ln(rate of this run / rate).
//
// The noise of a pass stays in all that follows, so the points of a run are not independent, and
// least squares, which takes them to be, weighs the steep beginning most: its error is several
// times what the points allow. Here each point is weighed against what the one before it let one
// expect, in progress: a Kalman filter on the run's course, whose innovations are independent, and
// the rate by Gauss and Newton's method on them (prediction error method; Ljung 1999, 7.2). With
// exact points of an exact curve it is the mean progress of a pass, and its variance noise^2 /
// passes.
#pragma once

#include <span>

#include "plan/laws/curve_fit.h"
#include "plan/types.h"

namespace surety::plan {

struct RunRate {
  double log = 0;  // Within [-2, 2].
  double variance =
      0;  // Of `log`, due to the noise of passes and jitter; 0 where nothing is known.
};

// Where the metric puts a run that was expected at this progress. By the curve itself, because it
// bends: by its slope alone noise comes out a tenth too large. But by its slope where the metric is
// so low that the curve could put it nearly anywhere. `rate`: progress of a pass.
// REQUIRES: the slope at `expected` is not 0.
[[nodiscard]] double progress_seen(const Curve& curve, double rate, double expected, double metric);

// By the law's curve, rate, noise and jitter; `start`: a guess, such as fit_log_rate(). What is
// more than three standard deviations off (a pass that stalled) counts as three. Where the curve is
// flat points say nothing; where none says anything the answer is `start`. REQUIRES: rate > 0;
// passes ascending. O(points).
[[nodiscard]] RunRate fit_run_rate(const VersionLaw& law, std::span<const FitPoint> points,
                                   double start);

}  // namespace surety::plan
