// What the scheduler tells hosts to do.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fabric/core/events.h"
#include "fabric/core/shares.h"

namespace surety::fabric {

enum class Reason : std::uint8_t {
  kMostWanted,     // Grant, StartPull: most wait for this block. x: members, y: planned seconds.
  kEject,          // Abort: a member's own port became slow. x: seconds left, y: without it.
  kReplan,         // Abort: other shares are faster. x: seconds left, y: with them.
  kHostLost,       // Abort, DropUpdate: somebody who takes part is gone.
  kTooStale,       // DropUpdate: x: slack in commits, y: the version now.
  kNoPosition,     // DropUpdate: others fill the commits that its bound leaves. x: slack.
  kBlockTooStale,  // DropUpdate, of one block. x: staleness at commit.
  kComplete,       // UpdateDone, ModelReady.
  kFurthestOff,    // ShipBlock: x: the divergence.
  kOwnerDown,      // Promote.
  kPortsChanged,   // PlaceOwners. x: owners before, y: from now on.
};
[[nodiscard]] const char* name_of(Reason reason);
struct Why {
  Reason reason = Reason::kMostWanted;
  double x = 0, y = 0;
};

struct Grant {
  RoundId round = 0;
  std::uint32_t block = 0;
  std::uint32_t epoch = 0;          // Of the owners, from 1.
  std::uint32_t speed_class = 0;    // Rounds of one class and direction go one after the other.
  std::vector<UpdateId> updates{};  // By member; only of a push.
  std::vector<HostId> members{};    // Ascending.
  std::vector<Share> owners{};      // Replicas too, where mirrored.
  SharePlan plan{};
  bool mirrored = false;
  Why why{};
};
// The same for a model's block: owners send what the block is when the round starts.
struct StartPull {
  Grant grant{};
  std::uint64_t version = 0;
};
struct Abort {
  RoundId round = 0;
  Why why{};
};
// These blocks are never sent; the work in them is lost, or folded into the worker's next update.
struct DropUpdate {
  UpdateId update;
  BlockMask blocks = 0;
  Why why{};
};
// Every update ends so, unless its host is lost: all blocks are committed or dropped.
struct UpdateDone {
  UpdateId update;
  BlockMask committed = 0;
  Why why{};
};
struct ModelReady {
  HostId worker;
  PullNumber number = 0;
  Why why{};
};
struct ShipBlock {
  std::uint32_t block = 0;
  Why why{};
};
struct Promote {
  HostId owner, replica;
  std::uint32_t epoch = 0;  // The replica's first; older ones are refused from now on.
  Why why{};
};
// Each block is these hosts' from its next round on; it is moved before that.
struct PlaceOwners {
  std::vector<Share> owners{};
  std::uint32_t epoch = 0;
  Why why{};
};
// What changes hands of a block goes from its owners to those of the present epoch: after all
// rounds of it with a lower id, before all with a higher one. Nobody answers.
struct MoveBlock {
  RoundId round = 0;
  std::uint32_t block = 0;
  std::uint32_t from_epoch = 0, epoch = 0;
};
using Action = std::variant<Grant, StartPull, Abort, DropUpdate, UpdateDone, ModelReady, ShipBlock,
                            Promote, PlaceOwners, MoveBlock>;

// One line for the log; equal logs mean equal decisions, to the bit.
[[nodiscard]] std::string describe(const Action& action);

}  // namespace surety::fabric
