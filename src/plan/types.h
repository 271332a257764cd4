// The types that the parts of the planner exchange: fitted laws, variants, schedules.
//
// Below plan.h a lower metric is always better: a loss, a duality gap, or 1 - accuracy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace surety::plan {

// The data support a well-fitting curve up to twice the measured passes. Beyond that, the curve is
// a guess, because a floor is not visible before the metric is near it.
inline constexpr double kExtrapolation = 2;
// Share of the measured drop, up to which a curve fits well.
inline constexpr double kFitErrorMax = 0.1;
// Number of seeds from which on a law is more than a guess.
inline constexpr std::uint32_t kLawSeedsMin = 3;

// After a switch the metric is at least this far above the new floor, as a share of the new curve's
// scale, so that the progress there is finite.
inline constexpr double kFloorMargin = 1e-3;

enum class Shape : std::uint8_t { kPower, kExponential };

// The mean course of the metric as a function of progress u: x(u) = floor + scale * s(u), with s(u)
// = (1 + u)^-exponent (power law) or e^-u (geometric decay, where `exponent` is unused). u = 0 is
// the untrained model. A pass adds about VersionLaw::rate, so the noise has the same size at every
// level.
struct Curve {
  Shape shape = Shape::kPower;
  double floor = 0;
  double scale = 1;
  double exponent = 1;

  [[nodiscard]] double at(double progress) const;
  // The inverse of at(); infinite at or below the floor.
  [[nodiscard]] double progress(double metric) const;
  // d metric / d progress at this progress; at most 0.
  [[nodiscard]] double slope(double progress) const;
  // The same slope if the metric is known, too; needs no power. REQUIRES: metric == at(progress).
  [[nodiscard]] double slope(double progress, double metric) const;
  // The lowest metric that a run can have after a switch. Its progress is finite.
  [[nodiscard]] double lowest() const { return floor + kFloorMargin * scale; }
};

// Duration of one pass with its evaluation, on any number of nodes.
struct PassTime {
  double pass_s = 0;  // Median on the profiled nodes.
  double nodes = 1;   // Number of profiled nodes.
  double eval_s = 0;  // Median duration of one evaluation.
  double log_sd = 0;  // Standard deviation of log(duration) from pass to pass.

  // `speed`: speed of all nodes together, in profiled nodes.
  [[nodiscard]] double median_s(double speed) const;
  [[nodiscard]] double mean_s(double speed) const;
};

// How a version learns on a given number of nodes.
struct VersionLaw {
  std::string version;
  std::size_t rank = 0;       // 0 is the full version; the others follow by name.
  std::uint32_t workers = 0;  // Number of workers in the profile.
  Curve curve;
  double rate = 0;   // Median progress of one pass.
  double noise = 0;  // Standard deviation of one pass's progress, relative to the rate.
  // Standard deviation of a checkpoint around the run's own course, in units of the metric. It does
  // not carry over to the next checkpoint, and other samples show it as well (profile_fit.cc).
  double jitter = 0;
  double fit_error = 0;   // Root mean square residual over the measured drop.
  double metric_min = 0;  // Lowest metric that any seed reached.
  // Below this metric the curve is not trusted. It is the lowest measured metric or, if the curve
  // fits well, the level to which it falls in kExtrapolation times the profiled passes.
  double metric_supported = 0;
  std::uint32_t passes = 0;  // Number of profiled passes.
  // Seeds in the profile, and those that never learned (plan/laws/profile_runs.h). stuck_share is
  // the share of runs that will not learn: the mean of Jeffreys' posterior if some seed was stuck,
  // otherwise 0.
  std::uint32_t seeds = 0;
  std::uint32_t stuck_seeds = 0;
  double stuck_share = 0;
  PassTime time;
};

// A change of version: x' = max(x, a little above the new floor) * exp(log_mean + log_sd z).
struct SwitchLaw {
  double log_mean = 0;
  double log_sd = 0;
  double seconds = 0;
  bool measured = false;
};

// Everything that the profile shows about one data fraction.
struct Laws {
  double data_fraction = 1;
  std::vector<VersionLaw> versions;              // Sorted by rank, then by workers.
  std::vector<std::vector<SwitchLaw>> switches;  // Indexed [from][to] by rank of the version.
  // The seed of a run changes the progress of all its passes by a factor: rate * e^A, A ~ N(0,
  // run_effect^2).
  double run_effect = 0;
  double effect_variance = 0;  // Variance of the seeds' log rates, effect_error included.
  double effect_error = 0;     // Part of effect_variance that is due to the noise of single passes.
  std::map<std::uint32_t, double> seed_effects;  // Mean log rate of each profile seed.
};

// Nodes of one type (Instance::nodes).
struct NodeCount {
  std::string type;
  std::uint32_t count = 0;
  friend auto operator<=>(const NodeCount&, const NodeCount&) = default;
};

// A version on some nodes: the number that its law was measured on, or fewer if there are not
// enough. Sums and rates are for all its nodes together.
struct Variant {
  std::size_t version = 0;        // Index in Laws::versions.
  std::vector<NodeCount> counts;  // One entry for each type, cheapest per speed first.
  std::uint32_t nodes = 0;
  double speed = 0;  // Speed of all nodes together, in profiled nodes.
  double price_per_s = 0;
  double preemptions_per_s = 0;
  double restart_s = 0;    // Seconds that one preemption costs.
  double straggle_sd = 0;  // Standard deviation of log(speed) of one node, from pass to pass.
  double start_s =
      0;  // Time from requesting these nodes, when training on others, to the first pass.
  // First and last time at which it is available, since training began. No last time means that it
  // stays available.
  double from_s = 0;
  std::optional<double> until_s{};
};

// A simulated run makes at most so many passes from where it begins, also if the job allows more.
// This bounds the work of a planner.
inline constexpr std::uint32_t kSimulatedPassesMax = 400;

// One problem: laws, variants and the promise as the planner sees it (lower is better).
struct Setting {
  Laws laws;
  std::vector<Variant> variants;
  double target = 0;
  // The metric at which planners with a fixed stopping rule stop: a margin below the target
  // (plan.h).
  double stop_metric = 0;
  double evaluation_se = 0;  // Standard error of the metric, on either split.
  double probability = 0.95;
  double deadline_s = 0;
  double certify_s = 0;
  std::optional<double> budget;
  double data_price = 0;
  // After so many passes in all, a run stops and certifies its best checkpoint.
  std::uint32_t passes_max = kSimulatedPassesMax;

  [[nodiscard]] const VersionLaw& law_of(std::size_t variant) const {
    return laws.versions[variants[variant].version];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t variant) const { return law_of(variant).rank; }
};

// Passes on one variant. The last leg continues until the target is met or the time is over.
struct Leg {
  std::size_t variant = 0;
  std::uint32_t passes = 0;
  friend auto operator<=>(const Leg&, const Leg&) = default;
};
using Schedule = std::vector<Leg>;

}  // namespace surety::plan
