// The state of a blind schedule after some passes: the distributions of the time and of the level,
// which are independent, and the cost. Shared by the searches over blind schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/decision/cmdp.h"
#include "test/support/plan/schedules/tick_chances.h"

namespace surety::plan {

struct BlindState {
  double cost = 0;
  TickChances time{0};
  std::vector<double> levels;
};

// The ticks at which a pass may begin and still end in time: its shortest duration fits before the
// deadline. `last` < `first` if there is none.
[[nodiscard]] TickWindow pass_window(const Mdp& mdp, std::size_t variant);

// The distribution of the level after the switch.
[[nodiscard]] std::vector<double> jumped(const Mdp& mdp, const MdpSwitch& change,
                                         const std::vector<double>& levels);

// Chance that a checkpoint with this distribution of levels succeeds.
[[nodiscard]] double success_of(const Mdp& mdp, const std::vector<double>& levels);

}  // namespace surety::plan
