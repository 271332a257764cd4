// The control messages that a worker still has to send, for each recipient in the order in which
// they were added. Each of them is sent once.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "fabric/network/types.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

class Outbox {
 public:
  void add(WorkerId to, const proto::ExchangeMessage& message);

  // Returns the oldest message to this worker as bytes, and removes it. O(log workers).
  [[nodiscard]] std::optional<std::vector<std::byte>> next(WorkerId to);

  // Appends the workers for which there is a message, each once, in ascending order.
  void add_destinations(std::vector<WorkerId>& workers) const;

 private:
  // INVARIANT: no queue is empty.
  std::map<WorkerId, std::deque<std::vector<std::byte>>> queues_;
};

}  // namespace surety::fabric
