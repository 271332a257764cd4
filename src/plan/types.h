// What the parts of the planner hand each other: fitted laws, variants, schedules.
//
// The metric is lower-is-better everywhere below plan.h: a loss, a gap, or 1 - accuracy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace surety::plan {

// Data support a curve that fits well up to twice the passes that were measured. More is guessing:
// a floor does not show before one is near it.
inline constexpr double kExtrapolation = 2;
inline constexpr double kForever = 1e18;     // Seconds; finite, so that it can be written as JSON.
inline constexpr double kFitErrorMax = 0.1;  // Of the drop that was measured: fits well.

// A switch lands at least this far above the new floor, as a share of the new curve's scale, so
// that the progress there is finite.
inline constexpr double kFloorMargin = 1e-3;

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
  // d metric / d progress there; not positive.
  [[nodiscard]] double slope(double progress) const;
  // The same where the metric is known as well, without a power. REQUIRES: metric == at(progress).
  [[nodiscard]] double slope(double progress, double metric) const;
  // The lowest metric that a run is put at after a switch: its progress is finite.
  [[nodiscard]] double lowest() const { return floor + kFloorMargin * scale; }
};

// Duration of one pass with its evaluation on as many nodes as were profiled.
struct PassTime {
  double pass_s = 0;  // Median, on profiled nodes.
  double nodes = 1;   // That were profiled.
  double eval_s = 0;  // Median of one evaluation.
  double log_sd = 0;  // Spread of the logarithm from pass to pass.

  // `speed`: of all nodes together, in profiled nodes.
  [[nodiscard]] double median_s(double speed) const;
  [[nodiscard]] double mean_s(double speed) const;
};

// How a version learns on a number of nodes.
struct VersionLaw {
  std::string version;
  std::size_t rank = 0;       // Of the version: 0 is the full one, then by name.
  std::uint32_t workers = 0;  // That it was profiled on.
  Curve curve;
  double rate = 0;   // Median progress of one pass.
  double noise = 0;  // Standard deviation of one pass's progress, relative to the rate.
  // Standard deviation of a checkpoint around the run's own course, in the metric; the next one
  // keeps nothing of it. Other samples show it as well (profile_fit.cc).
  double jitter = 0;
  double fit_error = 0;   // Root mean square residual over the drop that was measured.
  double metric_min = 0;  // Lowest that any seed reached.
  // Below this the curve is not believed: as far as it was measured, or, where it fits well, as far
  // as it falls in kExtrapolation times the profiled passes.
  double metric_supported = 0;
  std::uint32_t passes = 0;  // Profiled.
  // Seeds in the profile; those that never learned (profile_runs.h); what share of the runs will
  // not: the mean of Jeffreys' posterior where some seed was stuck, else 0.
  std::uint32_t seeds = 0, stuck_seeds = 0;
  double stuck_share = 0;
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
  std::vector<VersionLaw> versions;              // By rank, then workers.
  std::vector<std::vector<SwitchLaw>> switches;  // [from][to], by rank of the version.
  // A run's seed makes all its passes faster or slower: rate * e^A, A ~ N(0, run_effect^2).
  double run_effect = 0;
  double effect_variance = 0;  // Of the seeds' log rates, before
  double effect_error = 0;     // this much of it is put down to the noise of single passes.
  std::map<std::uint32_t, double> seed_effects;  // Mean log rate of each profile seed.
};

// Nodes of one type (Instance::nodes).
struct NodeCount {
  std::string type;
  std::uint32_t count = 0;
  friend auto operator<=>(const NodeCount&, const NodeCount&) = default;
};

// A version on some nodes: as many as its law was measured on, unless there are not so many. Sums
// and rates are of all its nodes together.
struct Variant {
  std::size_t version = 0;        // In Laws::versions.
  std::vector<NodeCount> counts;  // By type, cheapest per speed first; no type twice.
  std::uint32_t nodes = 0;
  double speed = 0;  // In profiled nodes.
  double price_per_s = 0;
  double preemptions_per_s = 0;
  double restart_s = 0;       // That one preemption costs.
  double straggle_sd = 0;     // Of the logarithm of one node's speed, from pass to pass.
  double start_s = 0;         // From the wish for these nodes, when on others, to the first pass.
  double from_s = 0;          // Available from then
  double until_s = kForever;  // to then, since training began.
};

// One problem: laws, variants and the promise in planning terms (lower is better).
struct Setting {
  Laws laws;
  std::vector<Variant> variants;
  double target = 0;
  // What planners that stop at a fixed metric stop at: a margin below the target (plan.h).
  double stop_metric = 0;
  double evaluation_se = 0;  // Of the metric, on either split.
  double probability = 0.95;
  double deadline_s = 0, certify_s = 0;
  std::optional<double> budget;
  double data_price = 0;
  std::uint32_t passes_max = 400;  // In one leg.

  [[nodiscard]] const VersionLaw& law_of(std::size_t variant) const {
    return laws.versions[variants[variant].version];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t variant) const { return law_of(variant).rank; }
};

// Passes on one variant; the last leg goes on until the target is met or no time is left.
struct Leg {
  std::size_t variant = 0;
  std::uint32_t passes = 0;
  friend auto operator<=>(const Leg&, const Leg&) = default;
};
using Schedule = std::vector<Leg>;

}  // namespace surety::plan
