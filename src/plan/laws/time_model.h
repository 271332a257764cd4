// How long a pass takes: as measured, times what the nodes of a variant are slower or faster, times
// the slowest of them (the pass is synchronous), plus the preemptions that hit it:
//
//   T = median * exp(log_sd z0) * max_i exp(straggle_sd z_i) + eval + sum_{j=1..K} restart,
//   K ~ Poisson(preemptions_per_s * the pass's own duration), z standard normals.
//
// A plan uses only numbers of nodes that were profiled: nothing is extrapolated from one number to
// another.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/laws/profile_runs.h"
#include "plan/types.h"

namespace surety::plan {

// From the passes that were trained on exactly as many workers as their run is counted for.
// REQUIRES: runs on one number of workers; not empty.
[[nodiscard]] PassTime fit_pass_time(const std::vector<const ProfileRun*>& runs);

// The same work on `factor` times the data; the evaluation stays.
[[nodiscard]] PassTime scaled(PassTime time, double factor);

// Mean of the largest of `nodes` lognormals exp(sd z): how much longer the slowest node takes.
// Relative error below 1e-9 (trapezoid rule on a smooth density). REQUIRES: nodes > 0; sd >= 0.
[[nodiscard]] double slowest_mean(double straggle_sd, std::uint32_t nodes);

// Duration of one pass of a variant with its evaluation.
struct PassDuration {
  double median_s = 0;  // Without stragglers, preemptions and the evaluation.
  double eval_s = 0;
  double log_sd = 0, straggle_sd = 0;
  std::uint32_t nodes = 1;
  double preemptions_per_s = 0, restart_s = 0;

  [[nodiscard]] double mean_s() const { return mean_s(slowest_mean(straggle_sd, nodes)); }
  // For callers that know the mean of the slowest node already.
  [[nodiscard]] double mean_s(double slowest) const;
};
[[nodiscard]] PassDuration pass_duration(const VersionLaw& law, const Variant& variant);

// One duration, by numbers in (0, 1): the pass's own luck, the slowest node's, the preemptions'.
// Each is turned into its quantile, so that more of any luck never takes less time.
struct DurationLuck {
  double pass = 0.5, slowest = 0.5, preemptions = 0.5;
};
[[nodiscard]] double draw_s(const PassDuration& duration, const DurationLuck& luck);

// Chance of each number of ticks, index 0 unused (a pass takes at least one). A duration between
// two ticks is split between them so that the mean stays; what takes less than a tick takes one,
// and what takes more than `ticks_max` is left out. So the mean is exact but for these two, the
// variance larger by up to tick_s^2 / 4. ENSURES: ticks_max + 1 entries, none negative, their sum
// at most 1; the distribution of draw_s() but for the split and 1e-7 in the tails. REQUIRES: tick_s
// > 0; ticks_max > 0. Histograms on a logarithmic scale; O(kCells^2 + (kCells + ticks_max) *
// preemptions), 0.1 ms.
[[nodiscard]] std::vector<double> duration_pmf(const PassDuration& duration, double tick_s,
                                               std::uint32_t ticks_max);

}  // namespace surety::plan
