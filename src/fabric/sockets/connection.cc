#include "fabric/sockets/connection.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"

namespace surety::fabric {
namespace {

// The number of bytes that one connection may receive before others have their turn.
constexpr std::size_t kTurnBytes = 4 << 20;

// The number of a transport is in the fields sender and step of the hello.
Tag tag_of(const Greeting& greeting) {
  return {.round = greeting.secret,
          .sender = static_cast<std::uint32_t>(greeting.number >> 32),
          .step = static_cast<std::uint32_t>(greeting.number)};
}

}  // namespace

SocketConnection::SocketConnection(PeerId peer, Direction direction,
                                   std::unique_ptr<ByteStream> stream,
                                   const TransportOptions& options, const Greeting& own, Time now)
    : peer_(peer),
      direction_(direction),
      stream_(std::move(stream)),
      own_(own),
      since_(now),
      reader_(options.message_bytes_max) {
  // Messages may follow at once. The other side reads them after the hello.
  if (direction_ == Direction::kWeCalled) queue({.kind = FrameKind::kHello}, {}, std::nullopt);
}

void SocketConnection::fail(std::string why) {
  if (!failure_) failure_ = std::move(why);
}

void SocketConnection::queue(FrameHeader header, std::span<const std::byte> payload,
                             std::optional<std::uint64_t> ticket) {
  if (header.kind == FrameKind::kHello) header.tag = tag_of(own_);
  header.sequence = next_to_send_++;
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum(payload);
  outgoing_.push_back({.header = encode_frame(header), .payload = payload, .ticket = ticket});
}

void SocketConnection::send(std::uint64_t ticket, const Tag& tag,
                            std::span<const std::byte> bytes) {
  queue({.tag = tag}, bytes, ticket);
}

void SocketConnection::move(std::vector<TransportEvent>& events) {
  receive(events);
  send_queued(events);
}

void SocketConnection::send_queued(std::vector<TransportEvent>& events) {
  while (!failure_) {
    Outgoing* const next = outgoing_.empty() ? nullptr : &outgoing_.front();
    // Without a frame the stream may still have bytes of its own to send.
    if (next == nullptr && !stream_->waits_to_write()) return;
    std::span<const std::byte> head;
    std::span<const std::byte> body;
    if (next != nullptr) {
      const std::size_t of_head = std::min(next->sent, next->header.size());
      head = std::span(next->header).subspan(of_head);
      body = next->payload.subspan(next->sent - of_head);
    }
    const Result<std::size_t> taken = stream_->write(head, body);
    if (!taken) {
      // The socket still contains the bytes that the other side sent before it closed the
      // connection.
      do receive(events);
      while (has_more_);
      return fail(taken.error().message);
    }
    if (next != nullptr) {
      next->sent += *taken;
      if (next->sent == next->header.size() + next->payload.size()) {
        if (next->ticket) taken_.push_back(*next->ticket);
        outgoing_.pop_front();
      }
    }
    report_sent(events);
    if (*taken == 0) return;
  }
}

// A message has been sent when none of its bytes waits for another call.
void SocketConnection::report_sent(std::vector<TransportEvent>& events) {
  if (stream_->waits_to_write()) return;
  for (const std::uint64_t ticket : std::exchange(taken_, {})) events.emplace_back(Sent{ticket});
}

void SocketConnection::receive(std::vector<TransportEvent>& events) {
  has_more_ = false;
  for (std::size_t turn = 0; !failure_;) {
    if (turn >= kTurnBytes) {
      has_more_ = true;
      return;
    }
    const Result<std::size_t> came = stream_->read(reader_.room());
    if (!came) return fail(came.error().message);
    if (*came == 0) return;
    turn += *came;
    Result<std::optional<Frame>> frame = reader_.advance(*came);
    if (!frame) return fail(frame.error().message);
    if (!*frame) continue;
    if (auto taken = take(*std::move(*frame), events); !taken) return fail(taken.error().message);
  }
}

Result<void> SocketConnection::take(Frame frame, std::vector<TransportEvent>& events) {
  const bool is_hello = frame.header.kind == FrameKind::kHello;
  if (is_greeted_) {
    if (is_hello) return surety::fail(ErrorCode::kCorrupt, "received a second Hello");
    events.emplace_back(Received{peer_, frame.header.tag, std::move(frame.payload)});
    return {};
  }
  if (!is_hello) return surety::fail(ErrorCode::kCorrupt, "received a message before a Hello");
  const Tag& tag = frame.header.tag;
  if (tag.round != own_.secret) {
    return surety::fail(ErrorCode::kCorrupt, "received a Hello with a wrong secret");
  }
  if (tag == tag_of(own_)) return surety::fail(ErrorCode::kCorrupt, "is connected to itself");
  is_greeted_ = true;
  if (direction_ == Direction::kTheyCalled) queue({.kind = FrameKind::kHello}, {}, std::nullopt);
  return {};
}

}  // namespace surety::fabric
