// The speed of learning of one run relative to its law, ln(rate of this run / rate), from the
// innovations of its course (course.h). Least squares over the points would have an error several
// times as large. With exact points on an exact curve the result is the mean progress of a pass,
// with variance noise^2 / passes.
#pragma once

#include <optional>
#include <span>

#include "plan/laws/course.h"
#include "plan/types.h"

namespace surety::plan {

struct RunRate {
  double log = 0;  // Clamped to [-2, 2].
  // Variance of `log` due to the noise of passes and jitter. None if all points were ignored.
  std::optional<double> variance = {};
};

// Uses the law's curve, rate, noise and jitter. `start`: a guess, such as fit_log_rate(). A
// deviation of more than three standard deviations (a pass that stalled) counts as three. Points on
// a flat part of the curve are ignored; if all are, the result is `start`.
// REQUIRES: rate > 0; passes ascending.
// O(points).
[[nodiscard]] RunRate fit_run_rate(const VersionLaw& law, std::span<const FitPoint> points,
                                   double start);

}  // namespace surety::plan
