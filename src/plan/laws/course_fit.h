// Fits the curve behind a course (course.h), starting from a first fit to its points.
#pragma once

#include <span>

#include "plan/laws/course.h"
#include "plan/laws/curve_fit.h"

namespace surety::plan {

// `start`: a fit to the same points (fit_curve()), whose shape is kept. `floor_max`: as in
// fit_curve(). `noise` and `jitter`: those of the course; for a median over n runs, 1.25 / sqrt(n)
// times those of the runs. The untrained point may be off by a fiftieth, because curves need not
// begin on a law. Uses the Gauss-Newton method with Levenberg's damping on floor, scale, exponent
// and rate.
// ENSURES: floor, scale, exponent and rate as in fit_curve(); returns `start` if nothing better is
// found.
// O(points), with some hundred evaluations of a curve each.
[[nodiscard]] CurveFit fit_course(const CurveFit& start, std::span<const FitPoint> points,
                                  double noise, double jitter, double floor_max);

}  // namespace surety::plan
