// The expectation-based baseline: the cheapest fixed schedule whose mean metric meets the target by
// the deadline, if every pass takes its mean time.
//
// A run is on the good side of the mean path about half of the time, so such a plan keeps about
// half of its promises or less. Margins of the target and of the deadline compensate for this;
// calibrated.h finds them by simulation. So this is the strongest form of planning with means.
//
// A schedule has one path, so all schedules of few blocks are enumerated: the result is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// The mean course of the metric, tabulated at `metrics`, with linear interpolation.
struct MeanCurves {
  std::vector<double> metrics;  // Ascending, at least two values.
  // Metric after a pass, by variant and by entry of `metrics`.
  std::vector<std::vector<double>> pass;
  std::vector<std::vector<double>>
      jumps;                   // Metric after a jump, by jump (Mdp::jumps) and by entry.
  std::vector<double> starts;  // One entry for each start.
};

// The laws with their mean progress per pass and the mean of each jump, down to the lowest floor.
// REQUIRES: `mdp` and `starts` come from make_mdp() and make_starts() for this setting.
[[nodiscard]] MeanCurves mean_curves(const Setting& setting, const Mdp& mdp,
                                     const std::vector<MdpStart>& starts);

struct MeanOptions {
  double target = 0;
  double margin = 0;  // Distance below the target that the mean must have at the end.
  // The target must be met within this share of the time to the deadline: the margin of time.
  double deadline_share = 1;
  std::uint32_t blocks_max = 3;
};

struct MeanPlan {
  Schedule schedule;
  double cost = 0;    // Planned value, on the mean path.
  double metric = 0;  // Planned value, on the mean path.
  double ticks = 0;   // Planned value, on the mean path.
};

// None if no mean path meets the target in time. Of equal schedules, the first one is returned, in
// the order of starts, passes and switches. Durations that are not in the table (MdpVariant) are
// ignored. O(passes^blocks_max) steps of a path, without what is too expensive or too late.
[[nodiscard]] std::optional<MeanPlan> mean_schedule(const Mdp& mdp,
                                                    const std::vector<MdpStart>& starts,
                                                    const MeanCurves& curves,
                                                    const MeanOptions& options);

}  // namespace surety::plan
