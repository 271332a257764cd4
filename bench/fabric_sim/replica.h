// A small real model and its replica, so that a simulated run has true distances. Each update is a
// random step, and the scheduler gets a bound of its norm.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "bench/fabric_sim/granted_round.h"
#include "bench/fabric_sim/replication.h"

namespace surety::bench::sim {

class Replica {
 public:
  Replica(std::uint32_t blocks, std::uint64_t seed);

  // An upper bound of the update's norm in any block.
  [[nodiscard]] double norm_of(const fabric::UpdateId& update) const;
  // The owner applies the round, and so does the replica if it is mirrored. Returns the block's
  // distance.
  double apply(const GrantedRound& round, bool mirrored);
  void ship(std::uint32_t block);
  double on_acknowledged(std::uint32_t block);

  // The distance between the model and the actual values of the replica.
  [[nodiscard]] double divergence() const;

 private:
  [[nodiscard]] std::vector<float> step_of(const fabric::UpdateId& update,
                                           std::uint32_t block) const;

  std::uint32_t blocks_;
  Random random_;
  Shadow shadow_;
};

}  // namespace surety::bench::sim
