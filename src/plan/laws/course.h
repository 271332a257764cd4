// The course of a run, or of the median over many runs: the difference between each point and its
// prediction from the points before.
//
// The noise of a pass stays in all later points, so the points are not independent. Least squares
// assumes independence; it gives too much weight to the steep beginning, and extracts far less
// information than the points contain. The innovations of a Kalman filter on the course's progress
// are independent. Parameters are found by the Gauss-Newton method on them (prediction error
// method; Ljung 1999, 7.2).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/laws/curve_fit.h"
#include "plan/types.h"

namespace surety::plan {

// The progress that the metric shows for a run that was expected at `expected`. It is computed from
// the curve itself, because the curve bends. With only the slope, the estimated noise would be a
// tenth too large. The slope is used if the metric is so low that the curve determines the progress
// poorly. `rate`: progress of one pass. REQUIRES: the slope at `expected` is not 0.
[[nodiscard]] double progress_seen(const Curve& curve, double rate, double expected, double metric);

struct Course {
  Curve curve;
  double rate = 0;   // Progress of one pass.
  double noise = 0;  // Standard deviation of a pass's progress, relative to the rate.
  // Standard deviation of a checkpoint around the course, in units of the metric. It does not carry
  // over to the next checkpoint.
  double jitter = 0;
};

// One for each point after the untrained model, from which the course starts at progress 0.
struct Innovation {
  double metric = 0;                    // Metric of the point.
  double expected = 0;                  // Progress predicted from the points before.
  double slope = 0;                     // Slope of the curve at `expected`.
  double off = 0;                       // Progress that the point shows beyond `expected`.
  std::optional<double> variance = {};  // Variance of `off`. Absent where the curve is flat.
};

// Every pass is assumed to have noise, and no curve is assumed to be exact. Otherwise a conclusion
// from a point without error could never be corrected. REQUIRES: passes ascending. O(points).
[[nodiscard]] std::vector<Innovation> innovations(const Course& course,
                                                  std::span<const FitPoint> points);

}  // namespace surety::plan
