// Chooses the owners of blocks when port speeds change.
#include <algorithm>

#include "fabric/scheduler/scheduler_state.h"

namespace surety::fabric {

std::vector<Share> Scheduler::State::owners() const {
  std::vector<Share> owners;
  for (const Owner& owner : options.owners) owners.push_back({owner.host, owner.fraction});
  return owners;
}

// Every round of every class goes through the owners' ports, so a slow port delays all rounds.
void Scheduler::State::place_owners() {
  if (!options.owners_follow_ports ||
      (placed_at && now - *placed_at < options.placement_interval_min)) {
    return;
  }
  std::vector<HostId> quick;
  for (const HostId host : may_own) {
    if (cluster.is_present(host) && cluster.has_fast_port(host)) quick.push_back(host);
  }
  if (quick.empty() || std::ranges::equal(quick, options.owners, {}, {}, &Owner::host)) return;
  PlaceOwners place{.epoch = ++epoch,
                    .why = {Reason::kPortsChanged, static_cast<double>(options.owners.size()),
                            static_cast<double>(quick.size())}};
  options.owners.clear();
  for (const HostId host : quick) {
    const double fraction = 1 / static_cast<double>(quick.size());
    options.owners.push_back({host, fraction});
    place.owners.push_back({host, fraction});
  }
  placed_at = now;
  actions.push_back(std::move(place));
}

void Scheduler::State::move_block(std::uint32_t block) {
  const std::uint32_t before = std::exchange(epochs[block], epoch);
  if (!options.owners_follow_ports || before == epoch) return;
  actions.push_back(MoveBlock{++last_round, block, before, epoch});
}

}  // namespace surety::fabric
