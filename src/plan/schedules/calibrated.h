// Fixed schedules that keep a promise when simulated. The result of a planner is exact only on its
// own grid. So the request to the planner is raised or lowered until the simulated result is just
// enough.
//
// The caller defines how a schedule is simulated: on which laws, and whether it stops early. Among
// the schedules tried, the cheapest one with enough probability is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/schedules/mean_planner.h"

namespace surety::plan {

struct ScheduleOutcome {
  double probability = 0;
  double cost = 0;
};
using SimulateSchedule = std::function<ScheduleOutcome(const Schedule&)>;

struct CalibratedSchedule {
  Schedule schedule;
  ScheduleOutcome outcome;
  bool keeps = false;  // If false, this is the likeliest schedule of those tried.
};

// Limits for the number of requests to the planner: growing steps, and then bisection.
struct SearchLimits {
  std::uint32_t steps = 6;
  std::uint32_t bisections = 5;
  // Deadline shares for the mean planner. Each one has margins of its own. If durations are
  // random, other margins do not help without a margin of time.
  std::vector<double> deadline_shares{1, 0.95, 0.9, 0.85, 0.8, 0.7};
};

// A planner's schedule for a request; none if it finds none.
using PlanRequest = std::function<std::optional<Schedule>(double request)>;

// Searches for the least request whose schedule is likely enough, from `from` on. `step` is the
// first step; steps grow, in the direction that is needed. None if the planner finds no schedule
// for any request. O(requests * planner).
[[nodiscard]] std::optional<CalibratedSchedule> least_request(const PlanRequest& planner,
                                                              const SimulateSchedule& simulate,
                                                              double omega, double from,
                                                              double step,
                                                              const SearchLimits& limits);

// Searches from `options.margin` on, for each share of the deadline; `options.deadline_share` is
// not used.
// REQUIRES: as mean_schedule().
// O(shares * requests * mean_schedule()).
[[nodiscard]] std::optional<CalibratedSchedule> mean_plan(const Mdp& mdp,
                                                          const std::vector<MdpStart>& starts,
                                                          const MeanCurves& curves,
                                                          const SimulateSchedule& simulate,
                                                          double omega, const MeanOptions& options,
                                                          const SearchLimits& limits);

}  // namespace surety::plan
