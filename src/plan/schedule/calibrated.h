// Fixed schedules that keep a promise when simulated: the open-loop and the mean planner are right
// about their own grids only, so what they are asked for is raised, or lowered, until what is
// simulated is just enough.
//
// The caller says how a schedule is simulated: on which laws, whether it stops early. Of the
// schedules tried, the cheapest that is likely enough is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/schedule/label_setting.h"
#include "plan/schedule/mean_planner.h"

namespace surety::plan {

struct ScheduleOutcome {
  double probability = 0, cost = 0;
};
using SimulateSchedule = std::function<ScheduleOutcome(const Schedule&)>;

struct CalibratedSchedule {
  Schedule schedule;
  ScheduleOutcome outcome;
  double asked = 0;    // Of the planner: its probability, or its margin.
  bool keeps = false;  // Else it is the likeliest of those tried.
};

// Ladder and bisection: how often the planner is asked, at most.
struct LadderOptions {
  std::uint32_t steps = 6, bisections = 5;
  // Of the mean planner, each with a ladder of margins: without a margin of time no other helps
  // where durations are random.
  std::vector<double> deadline_shares{1, 0.95, 0.9, 0.85, 0.8, 0.7};
};

// None where the planner finds no schedule whatever it is asked for.
// REQUIRES: as label_setting(); 0 < omega < 1. O(ladder * label_setting()).
[[nodiscard]] std::optional<CalibratedSchedule> open_loop_plan(
    const Mdp& mdp, const std::vector<MdpStart>& starts, const SimulateSchedule& simulate,
    double omega, const LabelOptions& labels, const LadderOptions& ladder);

// From `options.margin` on, for each share of the deadline; `options.deadline_share` is not used.
// REQUIRES: as mean_schedule(). O(shares * ladder * mean_schedule()).
[[nodiscard]] std::optional<CalibratedSchedule> mean_plan(const Mdp& mdp,
                                                          const std::vector<MdpStart>& starts,
                                                          const MeanCurves& curves,
                                                          const SimulateSchedule& simulate,
                                                          double omega, const MeanOptions& options,
                                                          const LadderOptions& ladder);

}  // namespace surety::plan
