// The open-loop schedule that keeps a promise when simulated: label setting, whose request is
// raised or lowered (plan/schedules/calibrated.h).
#pragma once

#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/schedules/calibrated.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::plan {

// None if the planner finds no schedule for any request.
// REQUIRES: 0 < omega < 1, and what label_setting() requires of `mdp`, `starts` and `labels`.
// O(limits * label_setting()).
[[nodiscard]] std::optional<CalibratedSchedule> open_loop_plan(
    const Mdp& mdp, const std::vector<MdpStart>& starts, const SimulateSchedule& simulate,
    double omega, const LabelOptions& labels, const SearchLimits& limits);

}  // namespace surety::plan
