// Moves bytes between processes. The interface is the same for every network.
//
// One thread uses a transport. As long as a connection exists, messages between two peers arrive
// whole, in order and at most once. After PeerLost, no more messages arrive from that peer. Bytes
// given to send() must stay valid until Sent (or PeerLost) is returned for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace surety::fabric {

using PeerId = std::uint32_t;  // This transport's own number for a connection; never reused.

// Identifies the transfer that a message belongs to; its sender chooses it.
struct Tag {
  std::uint64_t round = 0;   // Number of the command that the transfer belongs to.
  std::uint32_t sender = 0;  // Worker id of the sender.
  std::uint32_t step = 0;    // Step of the schedule.
  friend auto operator<=>(const Tag&, const Tag&) = default;
};

struct Received {
  PeerId peer = 0;
  Tag tag{};
  std::vector<std::byte> bytes;
};
struct Sent {
  std::uint64_t ticket = 0;  // The ticket that send() returned.
};
struct PeerLost {
  PeerId peer = 0;
  std::string reason;
};
using TransportEvent = std::variant<Received, Sent, PeerLost>;

// Bytes that have passed a network port, counted from some fixed moment in the past.
struct PortBytes {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
};

struct TransportOptions {
  // A longer message is refused before its payload is read.
  std::uint64_t message_bytes_max = 1ull << 30;
  std::uint64_t secret = 0;  // The connection is refused unless both sides have the same secret.
};

class Transport {
 public:
  virtual ~Transport() = default;

  // The address that others give to connect() to reach this transport.
  [[nodiscard]] virtual const std::string& address() const = 0;
  // Starts a connection. A failure is reported later, as PeerLost. Both sides may send.
  // InvalidInput: this is not an address for this kind of transport.
  [[nodiscard]] virtual Result<PeerId> connect(const std::string& address) = 0;
  // Queues a message and returns its ticket. Unavailable: the peer is lost or has never existed.
  [[nodiscard]] virtual Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                                   std::span<const std::byte> bytes) = 0;
  // Returns the events that have happened, and waits up to `wait` for the first one. Data are
  // transferred only within calls, so a caller that computes for a long time calls it from time to
  // time without waiting.
  [[nodiscard]] virtual std::vector<TransportEvent> poll(Duration wait) = 0;
  // Removes a peer. Its messages and its loss are not reported any more, and after the return the
  // bytes that were being sent to it are not used any more.
  virtual void disconnect(PeerId peer) = 0;
  // Bytes of all traffic on the network port of this transport; nullopt if unknown. A call takes
  // about 50 us.
  [[nodiscard]] virtual std::optional<PortBytes> port_bytes() { return std::nullopt; }
};

// A transport whose poll() another thread can interrupt.
class WakeableTransport : public Transport {
 public:
  // Ends the current poll() early, or the next one. Any thread may call this
  // function; only the owning thread may call the others.
  virtual void wake() = 0;
};

}  // namespace surety::fabric
