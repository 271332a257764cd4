// An exchange over connections: the glue between an Exchange, which knows what to say, and Rounds,
// which move blobs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/time.h"
#include "fabric/exchange/exchange.h"
#include "fabric/round.h"

namespace surety::fabric {

struct ExchangeLinkOptions {
  std::uint64_t id = 0;  // Tag::round of all its blobs; no other exchange or blob has it.
  // Given to the transport and not sent, of data to one host: more hides what is urgent. One, where
  // our port is slow.
  std::size_t sends_per_peer = 2;
  Duration tick = std::chrono::milliseconds(50);
};

class ExchangeLink {
 public:
  // `peers`: every other host, by its connection. `rounds` and `exchange` must outlive this.
  ExchangeLink(const ExchangeLinkOptions& options, Rounds& rounds, Exchange& exchange,
               std::map<HostId, PeerId> peers, Time now);

  // Hands what has come to the exchange, and what it has to say to the network. Corrupt: as
  // Exchange::receive(). Unavailable: a connection is lost; lost() names the host.
  [[nodiscard]] Result<void> advance(Time now);
  // Everybody has the last model, and all that we send has left.
  [[nodiscard]] bool ended() const { return exchange_.ended() && rounds_.sends_in_flight() == 0; }
  [[nodiscard]] std::optional<HostId> lost() const { return lost_; }

 private:
  [[nodiscard]] Result<void> receive(Time now);
  [[nodiscard]] Result<void> send(Time now);

  const ExchangeLinkOptions options_;
  Rounds& rounds_;
  Exchange& exchange_;
  const std::map<HostId, PeerId> peers_;
  std::map<HostId, std::uint32_t> numbers_;  // Of the next message to each.
  std::optional<HostId> lost_;
  Time next_tick_;
};

}  // namespace surety::fabric
