// The expectation-based baseline: the cheapest fixed schedule whose mean metric meets the target by
// the deadline, with every pass taking its mean time.
//
// What is on the mean path half of the time is not there the other half: such a plan keeps about
// half of its promises or less. Margins of the target and of the deadline make up for it, and
// calibrated.h finds them by simulation; that is as good as planning with means gets.
//
// One path per schedule, so all schedules of few blocks are gone through: exact.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/process/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// The mean course of the metric, tabulated at `metrics` and linear in between.
struct MeanCurves {
  std::vector<double> metrics;             // Ascending, at least two.
  std::vector<std::vector<double>> pass;   // By variant: after a pass from each of them.
  std::vector<std::vector<double>> jumps;  // As Mdp::jumps: after it.
  std::vector<double> starts;              // By start.
};

// Means of the kernels' rows; `metrics` are the levels'. Below level 0, which absorbs, a mean
// cannot fall: with noise it meets level 0 too late, or never, and there is no room for a margin.
[[nodiscard]] MeanCurves mean_curves(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                     const std::vector<double>& metrics);

// The laws with their mean progress per pass and the mean of each jump; down to the lowest floor.
// REQUIRES: `mdp` and `starts` are make_mdp()'s and make_starts()'s of this setting.
[[nodiscard]] MeanCurves mean_curves(const Setting& setting, const Mdp& mdp,
                                     const std::vector<MdpStart>& starts);

struct MeanOptions {
  double target = 0;
  double margin = 0;  // The mean must be so far below the target at the end.
  // And in this share of the time to the deadline: the margin of time.
  double deadline_share = 1;
  std::uint32_t blocks_max = 3;
};

struct MeanPlan {
  Schedule schedule;
  double cost = 0, metric = 0, ticks = 0;  // As planned, of the mean path.
};

// None where no mean path gets there in time. Ties: the one found first, by start, passes and
// switches in their order. Durations that are not in the table (MdpVariant) do not count.
// O(passes^blocks_max) steps of a path, less what is too dear or too late.
[[nodiscard]] std::optional<MeanPlan> mean_schedule(const Mdp& mdp,
                                                    const std::vector<MdpStart>& starts,
                                                    const MeanCurves& curves,
                                                    const MeanOptions& options);

}  // namespace surety::plan
