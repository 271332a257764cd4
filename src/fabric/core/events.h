// What the scheduler hears.
#pragma once

#include <cstdint>
#include <variant>

#include "fabric/core/cluster.h"
#include "fabric/exactly_once.h"

namespace surety::fabric {

using RoundId = std::uint64_t;     // Grows from 1; never reused.
using PullNumber = std::uint64_t;  // Of a worker's models, from 1; 0: it never pulled one.

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

}  // namespace surety::fabric
