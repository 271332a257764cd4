// What the scheduler hears, and what it tells hosts to do.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "fabric/core/cluster.h"
#include "fabric/core/quorum.h"
#include "fabric/core/replication.h"
#include "fabric/core/shares.h"
#include "fabric/exactly_once.h"

namespace surety::fabric {

using RoundId = std::uint64_t;     // Grows from 1; never reused.
using PullNumber = std::uint64_t;  // Of a worker's models, from 1; 0: it never pulled one.

// Events.
struct Join {
  HostId host;
  Port nominal{};
  bool worker = false;  // Pushes and pulls; else only owns, aggregates and relays.
  bool aggregates = true;
};
struct Leave {
  HostId host;
};
// It pushes no more, and no quorum counts it; it still owns, aggregates and relays, and pulls when
// it asks, without waiting for others. An update of its own that is under way goes on.
struct Retire {
  HostId worker;
};
// An update is ready to be sent. One per worker at a time.
struct PushReady {
  UpdateId update;
  PullNumber read = 0;  // The oldest model that went into it.
  double norm = 0;      // An upper bound of its length.
  std::uint32_t steps = 1;
};
// A worker waits for a model. One per worker at a time.
struct PullRequest {
  HostId worker;
};
struct RoundCommitted {
  RoundId round = 0;
  double distance = 0;  // Of the block from its replica, by the owner's shadow.
};
// The owner has decided that it never commits: the answer to Abort, or its own timeout.
struct RoundAborted {
  RoundId round = 0;
};
struct Progress {
  HostId host;
  PortSide side = PortSide::kOut;
  double bytes_per_s = 0;
};
struct Tick {};
// It no longer answers; as if it had left. It may join again.
struct HostSuspect {
  HostId host;
};
struct OwnerDown {
  HostId owner;
};
struct ReplicaAck {
  std::uint32_t block = 0;
  double distance = 0;
};
using Event = std::variant<Join, Leave, Retire, PushReady, PullRequest, RoundCommitted,
                           RoundAborted, Progress, Tick, HostSuspect, OwnerDown, ReplicaAck>;

// Actions.
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
};
[[nodiscard]] const char* name_of(Reason reason);
struct Why {
  Reason reason = Reason::kMostWanted;
  double x = 0, y = 0;
};

struct Grant {
  RoundId round = 0;
  std::uint32_t block = 0;
  std::uint32_t epoch = 0;          // Of the owners.
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
using Action =
    std::variant<Grant, StartPull, Abort, DropUpdate, UpdateDone, ModelReady, ShipBlock, Promote>;

// One line for the log; equal logs mean equal decisions, to the bit.
[[nodiscard]] std::string describe(const Action& action);

}  // namespace surety::fabric
