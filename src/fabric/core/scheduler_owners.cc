// Chooses the owners of blocks when port speeds change and when owners are lost.
#include <algorithm>

#include "fabric/core/scheduler_state.h"

namespace surety::fabric {

std::vector<Share> Scheduler::State::owners_of(Direction direction, bool mirrored) const {
  std::vector<Share> owners;
  for (const Owner& owner : options.owners) owners.push_back({owner.host, owner.fraction});
  for (const Owner& owner : options.owners) {
    if (direction != Direction::kPush || !mirrored || owner.replicas.empty()) continue;
    owners.push_back({owner.replicas.front(), owner.fraction});
  }
  return owners;
}

// Every round of every class goes through the owners' ports, so a slow port delays all rounds.
void Scheduler::State::place_owners() {
  if (!options.owners_follow_ports || (placed_at && now - *placed_at < options.owners_rest)) {
    return;
  }
  std::vector<HostId> quick;
  for (const HostId host : may_own) {
    if (cluster.present(host) && cluster.is_quick(host)) quick.push_back(host);
  }
  if (quick.empty() || std::ranges::equal(quick, options.owners, {}, {}, &Owner::host)) return;
  PlaceOwners place{.epoch = ++epoch,
                    .why = {Reason::kPortsChanged, static_cast<double>(options.owners.size()),
                            static_cast<double>(quick.size())}};
  options.owners.clear();
  for (const HostId host : quick) {
    const double fraction = 1 / static_cast<double>(quick.size());
    options.owners.push_back({host, fraction, {}});
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

void Scheduler::State::on(const OwnerDown& down) {
  bool owned = false;
  for (Owner& owner : options.owners) {
    if (owner.host != down.owner) continue;
    owned = true;
    if (owner.replicas.empty()) continue;  // Its blocks wait until it joins again.
    owner.host = owner.replicas.front();
    owner.replicas.erase(owner.replicas.begin());
    actions.push_back(Promote{down.owner, owner.host, ++epoch, {Reason::kOwnerDown}});
  }
  if (!owned) return;
  // The promoted replica's values are now the model; any further replica becomes a copy of it.
  const bool replicas = std::any_of(options.owners.begin(), options.owners.end(),
                                    [](const Owner& owner) { return !owner.replicas.empty(); });
  if (!replicas) options.replication.mode = ReplicationMode::kNone;
  replication = ReplicationPolicy(options.replication, options.blocks);
  for (auto& [id, round] : live) {
    if (round.direction == Direction::kPush) {
      replication.start(round.block, round.norms, round.how);
    }
    abort(id, round, {Reason::kHostLost});
  }
  lose(down.owner);
}

void Scheduler::State::on(const ReplicaAck& ack) {
  if (ack.block >= options.blocks || !replication.on_the_way(ack.block)) return;
  replication.acknowledged(ack.block, ack.distance);
  ship();
  decide_push = true;
}

void Scheduler::State::ship() {
  if (const auto block = replication.next_shipment()) {
    actions.push_back(ShipBlock{*block, {Reason::kFurthestOff, replication.divergence()}});
    replication.shipped(*block);
  }
}

}  // namespace surety::fabric
