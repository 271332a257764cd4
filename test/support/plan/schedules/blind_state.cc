#include "test/support/plan/schedules/blind_state.h"

#include <algorithm>
#include <numeric>

namespace surety::plan {

TickWindow pass_window(const Mdp& mdp, std::size_t variant) {
  static constexpr TickWindow kNever{1, 0};
  const MdpVariant& it = mdp.variants[variant];
  const auto shortest = std::find_if(it.duration.begin(), it.duration.end(),
                                     [](double chance) { return chance > 0; });
  const auto ticks = static_cast<std::size_t>(shortest - it.duration.begin());
  if (shortest == it.duration.end() || ticks > mdp.ticks) return kNever;
  return {it.first_tick, std::min(it.last_tick, mdp.ticks - static_cast<std::uint32_t>(ticks))};
}

std::vector<double> jumped(const Mdp& mdp, const MdpSwitch& change,
                           const std::vector<double>& levels) {
  return change.jump ? mdp.jumps[*change.jump].apply(levels) : levels;
}

double success_of(const Mdp& mdp, const std::vector<double>& levels) {
  return std::inner_product(levels.begin(), levels.end(), mdp.success.begin(), 0.0);
}

}  // namespace surety::plan
