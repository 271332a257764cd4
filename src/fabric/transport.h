// Moving bytes between processes: five verbs, whatever is beneath.
//
// A transport is used by one thread. Messages between two peers arrive whole, in order, at most
// once, while the connection lives; after PeerLost nothing more arrives from that peer. Bytes given
// to send() must stay until Sent comes (or PeerLost).
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

using PeerId = std::uint32_t;  // This transport's own number of a connection; never reused.

// What a message is about; chosen by who sends it.
struct Tag {
  std::uint64_t round = 0;   // Names the transfer: iteration and attempt, or a hand-over.
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
  std::uint64_t ticket = 0;  // As send() returned it.
};
struct PeerLost {
  PeerId peer = 0;
  std::string reason;
};
using TransportEvent = std::variant<Received, Sent, PeerLost>;

// What has passed a network port, since any moment in the past.
struct PortBytes {
  std::uint64_t out = 0, in = 0;
};

struct TransportOptions {
  std::uint64_t message_bytes_max = 1ull << 30;  // A longer announcement is refused unread.
  std::uint64_t secret = 0;  // Both sides' must be equal, or the connection is refused.
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Where others reach this one, to be given to their connect().
  [[nodiscard]] virtual const std::string& address() const = 0;
  // Starts a connection; failure shows later, as PeerLost. Each side may send. InvalidInput: not an
  // address of this kind of transport.
  [[nodiscard]] virtual Result<PeerId> connect(const std::string& address) = 0;
  // Queues a message; returns its ticket. Unavailable: the peer is lost or was never there.
  [[nodiscard]] virtual Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                                   std::span<const std::byte> bytes) = 0;
  // What happened; waits up to `wait` for a first event. Nothing moves between two calls: whoever
  // computes for long calls it now and then without waiting, since even after Sent the last bytes
  // of a message may need it where the network is slow.
  [[nodiscard]] virtual std::vector<TransportEvent> poll(Duration wait) = 0;
  // Forgets a peer; nothing more is reported about it, and on return none of the bytes that were
  // being sent to it are in use.
  virtual void disconnect(PeerId peer) = 0;
  // Of the port that this one is on, everybody's bytes; nothing: it is not known. About 50 us.
  [[nodiscard]] virtual std::optional<PortBytes> port_bytes() { return std::nullopt; }
};

// One that another thread can call back from waiting.
class WakeableTransport : public Transport {
 public:
  // Ends the poll() under way, or the next one, early. The only function for any thread.
  virtual void wake() = 0;
};

}  // namespace surety::fabric
