// What a step of the scheduler returns: orders to workers (Grant, DropUpdate, PlaceOwners,
// MoveBlock), and notices for the caller (UpdateDone, ModelReady).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "fabric/network/shares.h"
#include "fabric/scheduler/events.h"

namespace surety::fabric {

// A round starts. In a pull, owners send the value that the block has now.
struct Grant {
  RoundId round = 0;
  Direction direction = Direction::kPush;
  std::uint32_t block = 0;
  std::uint32_t placement = 0;  // Number of the placement of the owners, from 1.
  // Rounds of one speed class and direction run one after the other.
  std::uint32_t speed_class = 0;
  std::vector<WorkerId> members{};  // Sorted in ascending order.
  SharePlan plan{};
};
// These blocks are never sent. Their work is lost, or becomes a part of the worker's next update.
struct DropUpdate {
  UpdateId update;
  BlockMask blocks = 0;
};
// The end of every update: each block is committed or dropped.
struct UpdateDone {
  UpdateId update;
};
// All blocks of the model that this worker requested have arrived.
struct ModelReady {
  WorkerId worker;
};
// Each block belongs to these workers from its next round on. It is moved before that round.
struct PlaceOwners {
  std::vector<Share> owners{};
  std::uint32_t placement = 0;
};
// Moves the parts of a block that change owners from its old owners to those of the current
// placement: after all rounds of the block with a lower id, before all with a higher one. There is
// no answer to this action.
struct MoveBlock {
  RoundId round = 0;
  std::uint32_t block = 0;
  std::uint32_t from_placement = 0;
  std::uint32_t placement = 0;
};
using Action = std::variant<Grant, DropUpdate, UpdateDone, ModelReady, PlaceOwners, MoveBlock>;

}  // namespace surety::fabric
