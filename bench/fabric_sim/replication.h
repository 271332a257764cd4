// Bounds how far an owner's replica may differ from the owner, and decides how it is updated.
//
// Jobs have no replicas: every author keeps its update until all workers have it (fabric/exchange).
//
// A mirrored round also sends every sum to the replica, which adds the same bits, so the distance
// does not change. For other rounds the owner keeps a shadow of the values that the replica has
// acknowledged, so that it has the exact distance of each block, D_b = ||w_b - r_b||. It ships the
// value of the block with the largest distance; one shipment replaces any number of updates. Before
// a round starts, the most that its members can add, the sum of their norms, must fit under the
// bound; otherwise the round is mirrored. So the bound holds at every moment and not only on
// average.
//
// While a value v_b is in transit, the replica has either the old value or the new one. The larger
// distance counts, because a model that has moved back may be further from the shipped value than
// from the old one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/network/types.h"

namespace surety::bench::sim {

// The owner's side: the model, the replica's values, and their distance. Elements are floats;
// distances are computed in double, in order of elements.
class Shadow {
 public:
  // Cuts `model` into `blocks` equal parts, the longer ones first. The replica starts as a copy.
  Shadow(std::vector<float> model, std::uint32_t blocks);

  // Computes w_b += sum and returns the block's new distance. If `mirrored`, the replica adds the
  // same. REQUIRES: `sum` has as many elements as the block; not mirrored while the block is on the
  // way.
  double apply(std::uint32_t block, std::span<const float> sum, bool mirrored);

  // Returns the value to send. It is on the way until it is acknowledged. REQUIRES: it is not on
  // the way.
  [[nodiscard]] std::span<const float> ship(std::uint32_t block);
  // The replica has received the value. Returns the block's new distance. REQUIRES: it was on the
  // way.
  double on_acknowledged(std::uint32_t block);

  // The larger of the distances to what the replica has and to what is on the way to it (see
  // above).
  [[nodiscard]] double distance(std::uint32_t block) const;
  [[nodiscard]] std::span<const float> model(std::uint32_t block) const;
  [[nodiscard]] std::span<const float> replica(std::uint32_t block) const;

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::vector<Range> ranges_;
  std::vector<float> model_;
  std::vector<float> replica_;
  std::vector<float> shipped_;
  fabric::BlockMask in_flight_ = 0;
};

enum class ReplicationMode : std::uint8_t { kNone, kMirror, kBounded };

struct ReplicationOptions {
  ReplicationMode mode = ReplicationMode::kNone;
  // kBounded: Div_max, a bound on the norm over all blocks.
  double divergence_max = 0;
  // A block is shipped when the divergence is above this part of the bound.
  double ship_above = 0.25;
};

enum class RoundReplication : std::uint8_t {
  kPlain,     // The replica gets the change later.
  kMirrored,  // The sums are also sent to the replica.
  // It must be mirrored, but its block is in transit, so it starts after the acknowledgement.
  kWait,
};

// The scheduler's side, which has only numbers and no values.
class ReplicationPolicy {
 public:
  ReplicationPolicy(ReplicationOptions options, std::uint32_t blocks);

  // Returns how a round that adds at most `norms` to the block has to run. O(1).
  [[nodiscard]] RoundReplication decide(std::uint32_t block, double norms) const;
  void start(std::uint32_t block, double norms, RoundReplication how);
  // The owner has applied the round; `distance` is the block's new distance by the shadow.
  void on_committed(std::uint32_t block, double norms, RoundReplication how, double distance);

  // Returns the block to ship next: the one with the largest distance of those without a mirrored
  // round; ties go to the lower index. Returns nullopt if no block differs, if one is on the way,
  // or if the divergence is small enough (see ship_above). O(blocks).
  [[nodiscard]] std::optional<std::uint32_t> next_shipment() const;
  void on_shipped(std::uint32_t block);
  void on_acknowledged(std::uint32_t block, double distance);
  [[nodiscard]] bool is_in_flight(std::uint32_t block) const { return blocks_[block].is_in_flight; }

  // An upper bound of the current divergence, including all rounds under way.
  [[nodiscard]] double divergence() const;

 private:
  struct Block {
    double distance = 0;
    double reserved = 0;         // Sum of the norms of plain rounds under way.
    std::uint32_t mirrored = 0;  // Number of mirrored rounds under way.
    bool is_in_flight = false;
  };
  // The round is not under way any more.
  void end(std::uint32_t block, double norms, RoundReplication how);

  ReplicationOptions options_;
  std::vector<Block> blocks_;
};

}  // namespace surety::bench::sim
