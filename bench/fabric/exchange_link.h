// An exchange over connections. It connects an Exchange, which decides what to send, with Rounds,
// which sends blobs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/time.h"
#include "fabric/allreduce/round.h"
#include "fabric/exchange/exchange.h"

namespace surety::fabric {

struct ExchangeLinkOptions {
  // Tag::round of all its blobs; no other exchange or blob uses it.
  std::uint64_t id = 0;
  // The maximum number of data messages to one host that the transport has not sent yet. With more,
  // urgent messages would wait longer. If our own port is slow, the maximum is one.
  std::size_t sends_per_peer = 2;
  Duration tick = std::chrono::milliseconds(50);
};

class ExchangeLink {
 public:
  // `peers` maps every other host to its connection. `rounds` and `exchange` must outlive this
  // object.
  ExchangeLink(const ExchangeLinkOptions& options, Rounds& rounds, Exchange& exchange,
               std::map<WorkerId, PeerId> peers, Time now);

  // Passes received messages to the exchange, and its messages to the network. Corrupt: as in
  // Exchange::receive(). Unavailable: a connection is lost; lost() names the host.
  [[nodiscard]] Result<void> advance(Time now);
  // True when the exchange has ended here and all our messages have left.
  [[nodiscard]] bool ended() const { return exchange_.ended() && rounds_.sends().size() == 0; }
  [[nodiscard]] std::optional<WorkerId> lost() const { return lost_; }

  // Bytes of the messages that were given to the network.
  [[nodiscard]] std::uint64_t data_bytes() const { return data_bytes_; }
  [[nodiscard]] std::uint64_t control_bytes() const { return control_bytes_; }

 private:
  [[nodiscard]] Result<void> receive(Time now);
  [[nodiscard]] Result<void> send(Time now);

  const ExchangeLinkOptions options_;
  Rounds& rounds_;
  Exchange& exchange_;
  const std::map<WorkerId, PeerId> peers_;
  std::map<WorkerId, std::uint32_t> numbers_;  // Number of the next message to each host.
  std::optional<WorkerId> lost_;
  Time next_tick_;
  std::uint64_t data_bytes_ = 0;
  std::uint64_t control_bytes_ = 0;
};

}  // namespace surety::fabric
