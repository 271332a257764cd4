#include "bench/fabric_sim/replica_link.h"

#include <utility>

namespace surety::bench::sim {

using namespace fabric;

double ReplicaLink::norms_of(const GrantedRound& round) const {
  double sum = 0;
  for (const UpdateId& update : round.updates) sum += replica_.norm_of(update);
  return sum;
}

std::optional<RoundReplication> ReplicaLink::start(const GrantedRound& round) {
  const double norms = norms_of(round);
  const RoundReplication how = policy_.decide(round.grant.block, norms);
  if (how == RoundReplication::kWait) {
    waiting_.push_back(round);
    return std::nullopt;
  }
  policy_.start(round.grant.block, norms, how);
  return how;
}

void ReplicaLink::on_committed(const GrantedRound& round, RoundReplication how) {
  const double distance = replica_.apply(round, how == RoundReplication::kMirrored);
  policy_.on_committed(round.grant.block, norms_of(round), how, distance);
}

std::optional<std::uint32_t> ReplicaLink::next_shipment() {
  const auto block = policy_.next_shipment();
  if (!block) return std::nullopt;
  policy_.on_shipped(*block);
  replica_.ship(*block);
  return block;
}

std::vector<GrantedRound> ReplicaLink::on_acknowledged(std::uint32_t block) {
  policy_.on_acknowledged(block, replica_.on_acknowledged(block));
  return std::exchange(waiting_, {});
}

}  // namespace surety::bench::sim
