// The duration of a pass: the measured duration, times the speed ratio of the nodes, times the
// factor of the slowest node (the pass is synchronous), plus the preemptions during the pass:
//
//   T = median * exp(log_sd z0) * max_i exp(straggle_sd z_i) + eval + sum_{j=1..K} restart,
//   K ~ Poisson(preemptions_per_s * the pass's own duration), z standard normals.
//
// A plan uses only numbers of nodes that were profiled; nothing is extrapolated from one number to
// another.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/laws/profile_runs.h"
#include "plan/types.h"

namespace surety::plan {

// Uses the passes that were trained on exactly the number of workers of their run.
// REQUIRES: runs on one number of workers; not empty.
[[nodiscard]] PassTime fit_pass_time(const std::vector<const ProfileRun*>& runs);

// The same work on `factor` times the data; the evaluation does not change.
[[nodiscard]] PassTime scaled(PassTime time, double factor);

// Mean of the largest of `nodes` lognormals exp(sd z): the factor by which the slowest node is
// slower. Relative error below 1e-9 (trapezoid rule on a smooth density).
// REQUIRES: nodes > 0; sd >= 0.
[[nodiscard]] double slowest_mean(double straggle_sd, std::uint32_t nodes);

// Duration of one pass of a variant with its evaluation.
struct PassDuration {
  double median_s = 0;  // Stragglers, preemptions and the evaluation are not included.
  double eval_s = 0;
  double log_sd = 0;
  double straggle_sd = 0;
  std::uint32_t nodes = 1;
  double preemptions_per_s = 0;
  double restart_s = 0;

  [[nodiscard]] double mean_s() const { return mean_s(slowest_mean(straggle_sd, nodes)); }
  // Variant for callers that already know the mean of the slowest node.
  [[nodiscard]] double mean_s(double slowest) const;
};
[[nodiscard]] PassDuration pass_duration(const VersionLaw& law, const Variant& variant);

// The quantile levels, in (0, 1), that determine one duration: of the pass itself, the slowest
// node, and the preemptions. A higher level never gives a shorter duration.
struct DurationQuantiles {
  double pass = 0.5;
  double slowest = 0.5;
  double preemptions = 0.5;
};
[[nodiscard]] double draw_s(const PassDuration& duration, const DurationQuantiles& quantiles);

// Chance of each number of ticks; index 0 is unused, because a pass takes at least one tick. A
// duration between two ticks is split between them so that the mean is kept. Less than one tick
// counts as one; more than `ticks_max` ticks are omitted. So the mean is exact except for these two
// cases, and the variance is larger by up to tick_s^2 / 4.
//
// ENSURES: ticks_max + 1 entries, none negative, sum at most 1; the distribution of draw_s() except
// for the split and 1e-7 in the tails.
// REQUIRES: tick_s > 0; ticks_max > 0. Uses histograms on a logarithmic scale; O(kCells^2 + (kCells
// + ticks_max) * preemptions), 0.1 ms.
[[nodiscard]] std::vector<double> duration_pmf(const PassDuration& duration, double tick_s,
                                               std::uint32_t ticks_max);

}  // namespace surety::plan
