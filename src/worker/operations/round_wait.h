// A round that an operation waits for, with a clock of its own: as long as values of other members
// are missing, these members are asked every few seconds whether they have sent them, and the
// coordinator learns for whom this worker waits. So a message that was lost ends the round, and the
// coordinator has it run again; a member that is slow is waited for.
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
  // REQUIRES: no round of this object is under way.
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
