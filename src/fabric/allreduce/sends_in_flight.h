// The messages that were given to the transport and have not left yet. Their bytes are kept until
// they have left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::fabric {

// INVARIANT: of_round() is the number of sends that belong to the current round.
class SendsInFlight {
 public:
  // `bytes` are kept while the message is sent. REQUIRES: the ticket is new.
  void add(std::uint64_t ticket, PeerId peer, std::shared_ptr<const void> bytes, bool of_round);
  // The message has left. An unknown ticket changes nothing.
  void on_sent(std::uint64_t ticket);
  // The connection is lost, so the sends to this peer are removed. O(sends).
  void forget(PeerId peer);
  // The round is left: its sends continue, but belong to no round any more. O(sends).
  void leave_round();

  [[nodiscard]] bool contains(std::uint64_t ticket) const { return sends_.contains(ticket); }
  [[nodiscard]] std::size_t size() const { return sends_.size(); }
  [[nodiscard]] std::size_t size(PeerId peer) const;  // O(sends).
  [[nodiscard]] std::size_t of_round() const { return of_round_; }
  // The recipient of each send, in the order of tickets; a peer may be listed several times.
  [[nodiscard]] std::vector<PeerId> peers() const;

 private:
  struct Send {
    PeerId peer = 0;
    std::shared_ptr<const void> bytes;
    bool of_round = false;
  };
  std::map<std::uint64_t, Send> sends_;  // Sends by ticket.
  std::size_t of_round_ = 0;
};

}  // namespace surety::fabric
