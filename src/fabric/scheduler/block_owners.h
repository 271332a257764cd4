// The owners of the blocks, and when they change. All blocks have the same owners; each of them
// owns a part of every block. The owners follow the port speeds. Each change is a new placement,
// with the next number. A block moves to the owners of the current placement just before its next
// round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/options.h"

namespace surety::fabric {

// INVARIANT: the numbers of placements grow from 1 without gaps, and no block has a number above
// the current one.
class BlockOwners {
 public:
  explicit BlockOwners(const SchedulerOptions& options);

  // The owners of the current placement, and its number.
  [[nodiscard]] const std::vector<Share>& shares() const { return shares_; }
  [[nodiscard]] std::uint32_t placement() const { return placement_; }

  // Makes a placement if other workers have fast ports now than those that own, and if the last
  // change was long enough ago. Every round of every class goes through the owners' ports, so a
  // slow port delays all rounds. O(owners).
  [[nodiscard]] std::optional<PlaceOwners> follow_ports(Time now, const Cluster& cluster);

  // Moves the block to the current placement. Returns the number of its former placement, if that
  // is another one.
  [[nodiscard]] std::optional<std::uint32_t> move(std::uint32_t block);

 private:
  const Duration interval_min_;
  std::vector<Share> shares_;
  std::vector<WorkerId> may_own_;  // The first owners; no other worker ever owns.
  std::uint32_t placement_ = 1;
  std::vector<std::uint32_t> placements_;  // The number of the placement of each block.
  std::optional<Time> placed_at_;          // The time of the last change.
};

}  // namespace surety::fabric
