// The UCX transport's state of one connection. It calls no function of UCX.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/transport/transport.h"
#include "fabric/transport/wire.h"

namespace surety::fabric {

struct OutgoingMessage {
  Tag tag;
  std::span<const std::byte> bytes;
  std::uint64_t ticket = 0;
};

struct UcxConnection {
  // Legal transitions: kGreeting -> kOpen -> kFailed -> kClosing -> removed;
  // kGreeting -> kFailed.
  enum class State {
    kGreeting,  // The other side has not sent the secret yet.
    kOpen,      // Messages are sent and received.
    kFailed,    // Will be closed now, or when the callback that found the failure has returned.
    kClosing,   // UCX is releasing its resources; then PeerLost is reported.
  };

  UcxConnection(PeerId peer_id, bool they_called)
      : peer(peer_id), called_us(they_called), reported(!they_called) {}
  UcxConnection(const UcxConnection&) = delete;
  UcxConnection& operator=(const UcxConnection&) = delete;

  void fail(std::string why) {
    if (state == State::kFailed || state == State::kClosing) return;
    state = State::kFailed;
    reason = std::move(why);
  }
  [[nodiscard]] bool usable() const { return state == State::kGreeting || state == State::kOpen; }

  // A frame with this number begins to arrive. Returns false if it is a repetition.
  [[nodiscard]] bool begin_frame(std::uint64_t sequence) {
    if (sequence < next_to_deliver) return false;
    return arriving.try_emplace(sequence, std::nullopt).second;
  }
  // A frame is complete. Appends the messages that can now be delivered in order to `events`.
  // Numbers are needed because a short message may overtake a long one that was sent before it.
  void finish_frame(std::uint64_t sequence, Received message, std::vector<TransportEvent>& events) {
    arriving[sequence] = std::move(message);
    deliver(events);
  }
  // The hello, which has number 0, has arrived.
  void finish_hello(std::vector<TransportEvent>& events) {
    next_to_deliver = 1;
    deliver(events);
  }
  void deliver(std::vector<TransportEvent>& events) {
    for (auto at = arriving.begin();
         at != arriving.end() && at->first == next_to_deliver && at->second.has_value();
         at = arriving.erase(at), ++next_to_deliver) {
      events.emplace_back(*std::move(at->second));
    }
  }

  const PeerId peer;
  const bool called_us;  // False: this side started the connection.
  // Whether the owner knows this peer and must be notified of its loss.
  bool reported;
  State state = State::kGreeting;
  std::string reason;                            // The reason of the failure.
  std::vector<OutgoingMessage> before_greeting;  // They wait for the state kOpen.
  ucp_ep_h endpoint = nullptr;
  void* closing = nullptr;  // UCX's request to close the endpoint.
  // Number of UCX requests that use buffers of this connection.
  std::size_t operations = 0;
  std::uint64_t next_to_send = 0;     // Number of the next frame.
  std::uint64_t next_to_deliver = 0;  // Number of the next frame to deliver.
  // Frames that have begun to arrive and are not delivered.
  std::map<std::uint64_t, std::optional<Received>> arriving;
};

}  // namespace surety::fabric
