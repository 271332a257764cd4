// Results of blind schedules by enumeration, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "plan/decision/cmdp.h"
#include "test/support/plan/decision/tiny_mdp.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::plan::testing {

// A run's chances by (tick, level), without use of their independence.
using Joint = std::map<std::pair<std::uint32_t, std::size_t>, double>;

inline Joint joint_start(const MdpStart& start) {
  Joint joint;
  for (std::size_t l = 0; l < start.levels.size(); ++l) joint[{0, l}] = start.levels[l];
  return joint;
}

inline bool runs_at(const Mdp& mdp, std::size_t v, std::uint32_t tick) {
  return tick >= mdp.variants[v].first_tick && tick <= mdp.variants[v].last_tick;
}

inline Joint joint_pass(const Mdp& mdp, std::size_t v, const Joint& before) {
  const MdpVariant& variant = mdp.variants[v];
  Joint after;
  for (const auto& [at, chance] : before) {
    const auto [tick, level] = at;
    if (!runs_at(mdp, v, tick)) continue;
    const std::vector<double> row = variant.pass.row(level);
    for (std::uint32_t d = 1; d < variant.duration.size() && tick + d <= mdp.ticks; ++d) {
      for (std::size_t l = 0; l < row.size(); ++l) {
        after[{tick + d, l}] += chance * variant.duration[d] * row[l];
      }
    }
  }
  return after;
}

inline Joint joint_switch(const Mdp& mdp, const MdpSwitch& change, const Joint& before) {
  Joint after;
  for (const auto& [at, chance] : before) {
    const std::vector<double> row = mdp.jumps[*change.jump].row(at.second);
    for (std::size_t l = 0; l < row.size(); ++l) {
      after[{at.first + change.ticks, l}] += chance * row[l];
    }
  }
  return after;
}

// Calls visit(schedule) for all schedules of at most `blocks_max` legs and `passes_max` passes.
inline void for_all_schedules(const Mdp& mdp, std::size_t blocks_max, std::uint32_t passes_max,
                              const std::function<void(const Schedule&)>& visit) {
  std::function<void(Schedule, std::uint32_t)> grow = [&](const Schedule& head,
                                                          std::uint32_t left) {
    for (std::uint32_t passes = 1; passes <= left; ++passes) {
      Schedule schedule = head;
      schedule.back().passes = passes;
      visit(schedule);
      if (schedule.size() >= blocks_max) continue;
      for (const MdpSwitch& change : mdp.switches[schedule.back().variant]) {
        Schedule longer = schedule;
        longer.push_back({change.to, 0});
        grow(longer, left - passes);
      }
    }
  };
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) grow({{v, 0}}, passes_max);
}

inline const MdpSwitch& switch_of(const Mdp& mdp, std::size_t from, std::size_t to) {
  for (const MdpSwitch& change : mdp.switches[from]) {
    if (change.to == to) return change;
  }
  std::abort();
}

// The result of a fixed schedule, from the joint chances.
inline BlindPlan joint_fixed(const Mdp& mdp, const std::vector<MdpStart>& starts,
                             const Schedule& schedule) {
  const MdpStart& start = starts[schedule.front().variant];
  BlindPlan plan{schedule, 0, start.cost};
  Joint joint = joint_start(start);
  for (std::size_t leg = 0; leg < schedule.size(); ++leg) {
    if (leg > 0) {
      const MdpSwitch& change = switch_of(mdp, schedule[leg - 1].variant, schedule[leg].variant);
      joint = joint_switch(mdp, change, joint);
      plan.cost += change.cost;
    }
    for (std::uint32_t pass = 0; pass < schedule[leg].passes; ++pass) {
      joint = joint_pass(mdp, schedule[leg].variant, joint);
      plan.cost += mdp.variants[schedule[leg].variant].cost;
    }
  }
  for (const auto& [at, chance] : joint) plan.probability += chance * mdp.success[at.second];
  return plan;
}

}  // namespace surety::plan::testing
