// The course of a run, or of the median over many: what each point shows beyond what the ones
// before it let one expect.
//
// The noise of a pass stays in all points after it, so they are not independent, and least squares,
// which takes them to be, weighs the steep beginning most and gets far less out of them than they
// hold. The innovations of a Kalman filter on the course's progress are independent; parameters are
// found by Gauss and Newton's method on them (prediction error method; Ljung 1999, 7.2).
#pragma once

#include <span>
#include <vector>

#include "plan/laws/curve_fit.h"
#include "plan/types.h"

namespace surety::plan {

// Where the metric puts a run that was expected at this progress. By the curve itself, because it
// bends: by its slope alone noise comes out a tenth too large. But by its slope where the metric is
// so low that the curve could put it nearly anywhere. `rate`: progress of a pass.
// REQUIRES: the slope at `expected` is not 0.
[[nodiscard]] double progress_seen(const Curve& curve, double rate, double expected, double metric);

struct Course {
  Curve curve;
  double rate = 0;   // Progress of a pass.
  double noise = 0;  // Standard deviation of that, relative to the rate.
  // Of a checkpoint around the course, in the metric; the next one keeps nothing of it.
  double jitter = 0;
};

// Of the points after the untrained one, which the course starts from at progress 0.
struct Innovation {
  double metric = 0;    // Of the point.
  double expected = 0;  // Progress, by the points before.
  double slope = 0;     // Of the curve there.
  double off = 0;       // Progress that the point shows beyond it.
  double variance = 0;  // Of that; 0 where the curve is flat.
};

// No pass is taken to be without noise, nor a curve to be exact: what follows from a point without
// error would be believed for ever. REQUIRES: passes ascending. O(points).
[[nodiscard]] std::vector<Innovation> innovations(const Course& course,
                                                  std::span<const FitPoint> points);

}  // namespace surety::plan
