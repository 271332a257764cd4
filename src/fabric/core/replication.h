// How far the replica of an owner may be from it, and who brings it up to date.
//
// Mirrored rounds send every sum to the replica as well: the same bits, so the distance does not
// change. Otherwise the owner keeps a shadow of what the replica has acknowledged, so that the
// distance of each block, D_b = ||w_b - r_b||, is exact, and ships the value of the block that is
// furthest off; one shipment stands for any number of updates. Before a round starts, what its
// members can add at most, the sum of their norms, must fit under the bound, or it is mirrored; so
// the bound holds at every moment and not only on average.
//
// While a value v_b is on the way, the replica has either the old or the new one: both distances
// count, since a model that has moved back would be further from what is shipped than from the old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/types.h"

namespace surety::fabric {

// The owner's side: the model, what the replica has, and their distance. Elements are floats;
// distances are computed in double, in order of element.
class Shadow {
 public:
  // `blocks` cut `model` evenly, the longer ones first. The replica starts as a copy.
  Shadow(std::vector<float> model, std::uint32_t blocks);

  // w_b += sum; returns the block's new distance. Mirrored: the replica adds the same.
  // REQUIRES: as many elements as the block has; not mirrored while the block is on its way.
  double apply(std::uint32_t block, std::span<const float> sum, bool mirrored);

  // The value to send; it is on the way until acknowledged. REQUIRES: it is not on the way.
  [[nodiscard]] std::span<const float> ship(std::uint32_t block);
  // The replica has it. Returns the block's new distance. REQUIRES: it was on the way.
  double acknowledged(std::uint32_t block);

  // Max of the distances to what the replica has and to what it may have: see above.
  [[nodiscard]] double distance(std::uint32_t block) const;
  [[nodiscard]] std::span<const float> model(std::uint32_t block) const;
  [[nodiscard]] std::span<const float> replica(std::uint32_t block) const;

 private:
  struct Range {
    std::size_t first = 0, count = 0;
  };
  std::vector<Range> ranges_;
  std::vector<float> model_, replica_, shipped_;
  BlockMask on_the_way_ = 0;
};

enum class ReplicationMode : std::uint8_t { kNone, kMirror, kBounded };

struct ReplicationOptions {
  ReplicationMode mode = ReplicationMode::kNone;
  double divergence_max = 0;  // kBounded: Div_max, of the norm over all blocks.
  double ship_above = 0.25;   // Ship a block when the whole is beyond this part of the bound.
};

enum class RoundReplication : std::uint8_t {
  kPlain,     // The replica hears of it later.
  kMirrored,  // Its sums go to the replica too.
  kWait,      // It must be mirrored, and its block is on the way: after the acknowledgement.
};

// The scheduler's side: numbers only.
class ReplicationPolicy {
 public:
  ReplicationPolicy(ReplicationOptions options, std::uint32_t blocks);

  // How a round that adds at most `norms` to the block would run. O(1).
  [[nodiscard]] RoundReplication decide(std::uint32_t block, double norms) const;
  void start(std::uint32_t block, double norms, RoundReplication how);
  void aborted(std::uint32_t block, double norms, RoundReplication how);
  // The owner has applied it; `distance` is what the shadow says of the block.
  void committed(std::uint32_t block, double norms, RoundReplication how, double distance);

  // The block to ship next: the furthest off, ties to the lower. Nothing where none is off or
  // one is on the way, or the furthest has a mirrored round. O(blocks).
  [[nodiscard]] std::optional<std::uint32_t> next_shipment() const;
  void shipped(std::uint32_t block);
  void acknowledged(std::uint32_t block, double distance);
  [[nodiscard]] bool on_the_way(std::uint32_t block) const { return blocks_[block].on_the_way; }

  // At most what the divergence can be now, with all that was started.
  [[nodiscard]] double divergence() const;

 private:
  struct Block {
    double distance = 0;
    double reserved = 0;         // Norms of plain rounds under way.
    std::uint32_t mirrored = 0;  // Mirrored rounds under way.
    bool on_the_way = false;
  };
  ReplicationOptions options_;
  std::vector<Block> blocks_;
};

}  // namespace surety::fabric
