// What the parts of the planner hand each other: fitted laws, variants, schedules.
//
// The metric is lower-is-better everywhere below plan.h: a loss, a gap, or 1 - accuracy.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace surety::plan {

enum class Shape : std::uint8_t { kPower, kExponential };

// The mean course of the metric in progress space: x(u) = floor + scale * s(u), with
// s(u) = (1 + u)^-exponent (power law) or e^-u (geometric decay; `exponent` unused). u = 0 is the
// untrained model; a pass adds about VersionLaw::rate, so that noise is the same at every level.
struct Curve {
  Shape shape = Shape::kPower;
  double floor = 0, scale = 1, exponent = 1;

  [[nodiscard]] double at(double progress) const;
  // The inverse; infinite at or below the floor.
  [[nodiscard]] double progress(double metric) const;
};

// Median duration of one pass with its evaluation, by speed in profiled nodes.
struct PassTime {
  double compute_s = 0;  // On one profiled node.
  double fixed_s = 0;    // Communication and waiting: more nodes do not help.
  double speed_max =
      1;              // Faster than this was not profiled: more nodes are then planned as no help.
  double eval_s = 0;  // Median of one evaluation.
  double log_sd = 0;  // Spread of the logarithm from pass to pass.

  [[nodiscard]] double median_s(double speed) const;
  [[nodiscard]] double mean_s(double speed) const;
};

struct VersionLaw {
  std::string version;
  Curve curve;
  double rate = 0;        // Median progress of one pass.
  double noise = 0;       // Standard deviation of one pass's progress, relative to the rate.
  double fit_error = 0;   // Root mean square residual over the drop that was measured.
  double metric_min = 0;  // Lowest that any seed reached.
  PassTime time;
};

// A change of version: x' = max(x, a little above the new floor) * exp(log_mean + log_sd z).
struct SwitchLaw {
  double log_mean = 0, log_sd = 0;
  double seconds = 0;
  bool measured = false;
};

// Everything the profile says about one data fraction.
struct Laws {
  double data_fraction = 1;
  std::vector<VersionLaw> versions;              // Full first, then by name.
  std::vector<std::vector<SwitchLaw>> switches;  // [from][to], in that order.
  // A run's seed makes all its passes faster or slower: rate * e^A, A ~ N(0, run_effect^2).
  double run_effect = 0;
  double effect_variance = 0;  // Of the seeds' log rates, before
  double effect_error = 0;     // this much of it is put down to the noise of single passes.
  std::map<std::uint32_t, double> seed_effects;  // Mean log rate of each profile seed.
};

// A version on some nodes.
struct Variant {
  std::size_t version = 0;  // In Laws::versions.
  std::uint32_t nodes = 0;
  double speed = 0;        // In profiled nodes.
  double price_per_s = 0;  // Of all of them.
};

// Passes on one variant; the last leg goes on until the target is met or no time is left.
struct Leg {
  std::size_t variant = 0;
  std::uint32_t passes = 0;
  friend auto operator<=>(const Leg&, const Leg&) = default;
};
using Schedule = std::vector<Leg>;

}  // namespace surety::plan
