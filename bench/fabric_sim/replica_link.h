// The replica of all owners, and the rounds that wait for it. It decides how each round reaches the
// replica (replication.h), and keeps the model of both sides (replica.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/fabric_sim/granted_round.h"
#include "bench/fabric_sim/replica.h"
#include "bench/fabric_sim/replication.h"

namespace surety::bench::sim {

class ReplicaLink {
 public:
  ReplicaLink(const ReplicationOptions& options, std::uint32_t blocks, std::uint64_t seed)
      : replica_(blocks, seed), policy_(options, blocks) {}

  // The push is granted. Returns how it runs, or nullopt if it waits until its block is
  // acknowledged.
  [[nodiscard]] std::optional<RoundReplication> start(const GrantedRound& round);
  // A push that runs in this way was applied by the owner.
  void on_committed(const GrantedRound& round, RoundReplication how);

  // The block whose value must be sent to the replica now; from then on it is in transit.
  [[nodiscard]] std::optional<std::uint32_t> next_shipment();
  // The replica has received the block. Returns the pushes that have waited, in the order of their
  // grants: they start before the block is sent again, so that they do not wait for ever.
  [[nodiscard]] std::vector<GrantedRound> on_acknowledged(std::uint32_t block);

  // The distance between the model and the actual values of the replica.
  [[nodiscard]] double divergence() const { return replica_.divergence(); }

 private:
  [[nodiscard]] double norms_of(const GrantedRound& round) const;

  Replica replica_;
  ReplicationPolicy policy_;
  std::vector<GrantedRound> waiting_;
};

}  // namespace surety::bench::sim
