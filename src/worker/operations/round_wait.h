// Waits for a round, with a timer. While values of other members are missing, it asks these members
// every two seconds what they have sent, and tells the coordinator for whom this worker waits. If a
// message was lost, the round fails and the coordinator repeats it. A slow member is waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "worker/operations/network.h"
#include "worker/operations/operation.h"

namespace surety::worker {

class RoundWait {
 public:
  // `context` must outlive this object.
  explicit RoundWait(const OperationContext& context) : context_(context) {}

  // RoundDone or RoundFailed follows, unless leave() is called before.
  // REQUIRES: check(round); no round of this object is under way.
  void join(Round round, std::vector<float> values);
  // A timer of the operation; it may be of something else.
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
