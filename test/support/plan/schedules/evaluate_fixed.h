// The result of one fixed schedule, and the steps that it names.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::plan {

// The switch from one variant to another. Null if there is none.
[[nodiscard]] const MdpSwitch* find_switch(const Mdp& mdp, std::size_t from, std::size_t to);

// The start with this variant. Null if there is none.
[[nodiscard]] const MdpStart* find_start(const std::vector<MdpStart>& starts, std::size_t variant);

// Success probability and cost of a fixed schedule. None if it cannot be followed: its first
// variant has no start, or a switch is missing.
// REQUIRES: at most one start per variant; at least one leg, each with at least one pass.
// O(passes * (levels * row + ...)).
[[nodiscard]] std::optional<BlindPlan> evaluate_fixed(const Mdp& mdp,
                                                      const std::vector<MdpStart>& starts,
                                                      const Schedule& schedule);

}  // namespace surety::plan
