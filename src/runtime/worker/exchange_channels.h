// The messages of an asynchronous exchange (fabric/exchange) that a worker sends to each other
// worker: their numbers, and how many have not left yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "fabric/allreduce/round.h"
#include "fabric/exchange/exchange.h"
#include "runtime/worker/peer_connections.h"

namespace surety::runtime {

class ExchangeChannels {
 public:
  // The references must outlive this object.
  ExchangeChannels(fabric::Rounds& rounds, PeerConnections& connections)
      : rounds_(rounds), connections_(connections) {}

  // Connects to the other members. Members that cannot be reached are lost
  // (PeerConnections::take_lost()).
  void join(std::uint64_t sequence, const std::vector<WorkerId>& members, WorkerId self);
  void leave(std::uint64_t sequence);
  void forget() { current_.reset(); }
  // The number of the current exchange; absent if there is none.
  [[nodiscard]] std::optional<std::uint64_t> sequence() const;

  // A member that cannot be reached is lost. REQUIRES: an exchange was joined.
  void send(WorkerId to, fabric::Exchange::Send message);
  // The recipients of the messages that have left since the last call, one for each message.
  // REQUIRES: an exchange was joined.
  [[nodiscard]] std::vector<WorkerId> take_sent();

 private:
  struct Channel {
    std::uint32_t next = 0;     // Number of the next message.
    std::size_t in_flight = 0;  // Messages that have not left yet.
  };
  struct Current {
    std::uint64_t sequence = 0;
    std::map<WorkerId, Channel> channels{};
  };

  fabric::Rounds& rounds_;
  PeerConnections& connections_;
  std::optional<Current> current_;
};

}  // namespace surety::runtime
