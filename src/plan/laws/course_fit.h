// The curve behind a course (course.h), from a first fit to its points.
#pragma once

#include <span>

#include "plan/laws/course.h"
#include "plan/laws/curve_fit.h"

namespace surety::plan {

// `start`: a fit to the same points (fit_curve()), whose shape stays; `floor_max` as there; `noise`
// and `jitter` of the course: of a median over n runs 1.25 / sqrt(n) of theirs. The untrained point
// may be off by a fiftieth: curves need not begin on a law. Gauss and Newton's method with
// Levenberg's damping on floor, scale, exponent and rate.
// ENSURES: floor, scale, exponent and rate as in fit_curve(); `start` where nothing is better.
// O(points), some hundred evaluations of a curve each.
[[nodiscard]] CurveFit fit_course(const CurveFit& start, std::span<const FitPoint> points,
                                  double noise, double jitter, double floor_max);

}  // namespace surety::plan
