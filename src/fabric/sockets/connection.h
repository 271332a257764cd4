// One connection of the socket transport: it sends and receives frames (fabric/transport/wire.h).
//
// The first frame in each direction is a hello. It has the secret, and a number that the transport
// has drawn. If an attacker connects a transport to itself, the transport receives its own number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/sockets/byte_stream.h"
#include "fabric/transport/frame_reader.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

// The contents of the hellos of a transport.
struct Greeting {
  std::uint64_t secret = 0;
  std::uint64_t number = 0;  // Drawn by each transport.
};

class SocketConnection {
 public:
  enum class Direction : std::uint8_t { kWeCalled, kTheyCalled };

  SocketConnection(PeerId peer, Direction direction, std::unique_ptr<ByteStream> stream,
                   const TransportOptions& options, const Greeting& own, Time now);

  [[nodiscard]] PeerId peer() const { return peer_; }
  [[nodiscard]] const ByteStream& stream() const { return *stream_; }
  [[nodiscard]] Time since() const { return since_; }
  // The other side has sent its hello.
  // Whether the peer is known to the caller: this side called it, or it has sent its hello.
  [[nodiscard]] bool is_known() const { return direction_ == Direction::kWeCalled || is_greeted_; }
  // The reason for which the connection cannot be used any more; absent while it can.
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }
  void fail(std::string why);

  // Queues a message. `bytes` must stay valid until Sent was returned for the ticket.
  void send(std::uint64_t ticket, const Tag& tag, std::span<const std::byte> bytes);

  // Sends and receives as much as is possible now, but at most a few megabytes, so that other
  // connections have their turn. Appends Sent and Received.
  void move(std::vector<TransportEvent>& events);
  // Sends as much as is possible now, and does not receive.
  void send_queued(std::vector<TransportEvent>& events);
  // Whether move() could continue without waiting for the socket.
  [[nodiscard]] bool has_more() const { return !failure_ && has_more_; }
  [[nodiscard]] bool waits_to_write() const { return stream_->waits_to_write(); }

 private:
  struct Outgoing {
    FrameHeaderBytes header{};
    std::span<const std::byte> payload{};
    std::optional<std::uint64_t> ticket{};  // Absent for a hello.
    std::size_t sent = 0;                   // Bytes of both that the stream has taken.
  };

  void queue(FrameHeader header, std::span<const std::byte> payload,
             std::optional<std::uint64_t> ticket);
  void receive(std::vector<TransportEvent>& events);
  void report_sent(std::vector<TransportEvent>& events);
  [[nodiscard]] Result<void> take(Frame frame, std::vector<TransportEvent>& events);

  PeerId peer_;
  Direction direction_;
  std::unique_ptr<ByteStream> stream_;
  Greeting own_;
  Time since_;
  FrameReader reader_;
  std::deque<Outgoing> outgoing_;
  // Tickets of messages that the stream has taken, but not yet the socket.
  std::vector<std::uint64_t> taken_;
  std::uint64_t next_to_send_ = 0;
  bool is_greeted_ = false;
  bool has_more_ = false;
  std::optional<std::string> failure_;
};

}  // namespace surety::fabric
