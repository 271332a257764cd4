// The control messages that a host still has to send, for each recipient in the order in which they
// were added. Each of them is sent once.
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
  void add(HostId to, const proto::ExchangeMessage& message);

  // Returns the oldest message to this host as bytes, and removes it. O(log hosts).
  [[nodiscard]] std::optional<std::vector<std::byte>> next(HostId to);

  // Appends the hosts for which there is a message, each once, in ascending order.
  void add_destinations(std::vector<HostId>& hosts) const;

 private:
  // INVARIANT: no queue is empty.
  std::map<HostId, std::deque<std::vector<std::byte>>> queues_;
};

}  // namespace surety::fabric
