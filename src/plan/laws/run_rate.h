// How fast one run learns, beside its law: ln(rate of this run / rate), by the innovations of its
// course (course.h). Least squares over the points has several times this error. With exact points
// of an exact curve it is the mean progress of a pass, and its variance noise^2 / passes.
#pragma once

#include <span>

#include "plan/laws/course.h"
#include "plan/types.h"

namespace surety::plan {

struct RunRate {
  double log = 0;  // Within [-2, 2].
  double variance =
      0;  // Of `log`, due to the noise of passes and jitter; 0 where nothing is known.
};

// By the law's curve, rate, noise and jitter; `start`: a guess, such as fit_log_rate(). What is
// more than three standard deviations off (a pass that stalled) counts as three. Where the curve is
// flat points say nothing; where none says anything the answer is `start`. REQUIRES: rate > 0;
// passes ascending. O(points).
[[nodiscard]] RunRate fit_run_rate(const VersionLaw& law, std::span<const FitPoint> points,
                                   double start);

}  // namespace surety::plan
