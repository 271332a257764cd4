// Waits for a round, with a timer. While values of other members are missing, it asks these members
// every two seconds what they have sent, and tells the coordinator for whom this worker waits. If a
// message was lost, the round fails and the coordinator repeats it. If a member is only slow, this
// class continues to wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "worker/operations/network.h"
#include "worker/operations/operation.h"

namespace surety::worker {

// How often a waiting worker asks the others, and tells the coordinator. The interval is longer
// than a round of a small model, and short enough for a user who wonders what the run waits for.
inline constexpr Duration kAskEvery = std::chrono::seconds(2);

// Tells the coordinator that this worker waits for these others.
void tell_waiting(const OperationContext& context, const std::vector<WorkerId>& others);

class RoundWait {
 public:
  // `context` must outlive this object.
  explicit RoundWait(const OperationContext& context) : context_(context) {}

  // RoundDone or RoundFailed follows, unless leave() is called before.
  // REQUIRES: check(round); no round of this object is under way.
  void join(Round round, std::vector<float> values);
  // A timer of the operation has expired. Timers for other purposes are ignored.
  void on_time(std::uint64_t timer);
  // The round has ended.
  void on_done() { timer_.reset(); }
  // Leaves the round if it is under way.
  void leave();

 private:
  const OperationContext& context_;
  std::optional<std::uint64_t> timer_;  // Present while the round is under way.
};

}  // namespace surety::worker
