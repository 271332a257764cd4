// The events that the scheduler receives.
#pragma once

#include <compare>
#include <cstdint>
#include <variant>

#include "fabric/network/port.h"
#include "fabric/network/types.h"

namespace surety::fabric {

using UpdateNumber = std::uint64_t;  // Number of an update of one worker, from 1.
struct UpdateId {
  WorkerId worker;
  UpdateNumber number = 0;
  friend auto operator<=>(const UpdateId&, const UpdateId&) = default;
};
using RoundId = std::uint64_t;  // Grows from 1; never reused.
// The number of models that a worker had pulled when it received this one; 0 is the model with
// which it began.
using PullNumber = std::uint64_t;

// The worker pushes no more updates, and does not count for quorums. It still owns, aggregates and
// relays. It may still pull, and then does not wait for others. REQUIRES: the worker has no update,
// and all rounds of its pull, if it has one, were granted.
struct Retire {
  WorkerId worker;
};
// An update is ready to be sent. A worker has at most one at a time.
struct PushReady {
  UpdateId update;
  PullNumber read = 0;  // The oldest model that the update was computed from.
};
// A worker requests a model. A worker has at most one request at a time.
struct PullRequest {
  WorkerId worker;
};
struct RoundCommitted {
  RoundId round = 0;
};
// This side of the worker's port can carry this many bytes per second. A rate of 0 or less is
// ignored.
struct RateMeasured {
  WorkerId worker;
  PortSide side = PortSide::kOut;
  double bytes_per_s = 0;
};
struct Tick {};
using Event = std::variant<Retire, PushReady, PullRequest, RoundCommitted, RateMeasured, Tick>;

}  // namespace surety::fabric
