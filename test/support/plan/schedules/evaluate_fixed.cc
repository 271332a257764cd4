#include "test/support/plan/schedules/evaluate_fixed.h"

#include <algorithm>

#include "base/check.h"
#include "test/support/plan/schedules/blind_state.h"

namespace surety::plan {

const MdpSwitch* find_switch(const Mdp& mdp, std::size_t from, std::size_t to) {
  const auto& list = mdp.switches[from];
  const auto it = std::find_if(list.begin(), list.end(),
                               [to](const MdpSwitch& change) { return change.to == to; });
  return it == list.end() ? nullptr : &*it;
}

const MdpStart* find_start(const std::vector<MdpStart>& starts, std::size_t variant) {
  const auto it = std::find_if(starts.begin(), starts.end(), [variant](const MdpStart& start) {
    return start.variant == variant;
  });
  return it == starts.end() ? nullptr : &*it;
}

std::optional<BlindPlan> evaluate_fixed(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                        const Schedule& schedule) {
  SURETY_CHECK(!schedule.empty());
  const MdpStart* start = find_start(starts, schedule.front().variant);
  if (start == nullptr) return std::nullopt;
  SURETY_CHECK(start->variant < mdp.variants.size() && start->levels.size() == mdp.levels());
  BlindState state{start->cost, TickChances(0), start->levels};
  for (std::size_t leg = 0; leg < schedule.size(); ++leg) {
    const std::size_t v = schedule[leg].variant;
    const MdpVariant& variant = mdp.variants[v];
    SURETY_CHECK(schedule[leg].passes > 0);
    if (leg > 0) {
      const MdpSwitch* change = find_switch(mdp, schedule[leg - 1].variant, v);
      if (change == nullptr) return std::nullopt;
      state = {state.cost + change->cost, state.time.later_by(change->ticks),
               jumped(mdp, *change, state.levels)};
    }
    for (std::uint32_t pass = 0; pass < schedule[leg].passes; ++pass) {
      state = {state.cost + variant.cost,
               state.time.within(pass_window(mdp, v)).plus(variant.duration, mdp.ticks),
               variant.pass.apply(state.levels)};
    }
  }
  return BlindPlan{schedule, success_of(mdp, state.levels) * state.time.total(), state.cost};
}

}  // namespace surety::plan
