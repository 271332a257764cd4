// A course that an attempt may take: its metric after each pass, and the jitter of its checkpoints.
//
// The metric after k passes is  start * (f + (1 - f) g(k / scale)),  with floor f and
//   g(t) = (1 + t^b)^(-q/b)  or  exp(-t^b)
// with power b and tail q. The power describes how steeply the metric falls at the beginning; the
// tail describes the end, where it falls like t^-q. The two are independent.
//
// A checkpoint adds jitter to the logarithm of the metric, in proportion to the progress made. The
// jitter is nearly normal below the course, and wider with a heavy tail above it.
//
// Pure functions.
#pragma once

namespace surety::plan {

// Passes, used when a metric is below the floor.
inline constexpr double kFarPasses = 1e9;

struct LearningCourse {
  double start = 0;
  double floor = 0;
  double power = 1;
  double tail = 1;
  double scale = 1;   // The unit is passes.
  double from = 0;    // Passes of this version that lead to the current state of the attempt.
  double jitter = 0;  // Standard deviation of log(metric) at full progress.
  bool exponential = false;

  // The metric after `more` further passes, without jitter.
  [[nodiscard]] double metric(double more) const;
  // Chance that a checkpoint after `more` further passes shows at most `target`.
  [[nodiscard]] double chance(double more, double target) const;
  // Log density, up to a constant, of a checkpoint that shows `seen` now, if the evaluation adds
  // noise with the standard deviation `noise` to the metric's logarithm.
  [[nodiscard]] double log_density(double seen, double noise) const;
  // Passes of this course, from its start, that lead to this metric: 0 if it is at the start or
  // above, kFarPasses * scale if it is at the floor or below.
  [[nodiscard]] double passes_to(double seen) const;
  // The same progress takes `factor` times the passes.
  void stretch(double factor);
};

}  // namespace surety::plan
