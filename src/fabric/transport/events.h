// Functions of transports on the events that wait for their next poll.
#pragma once

#include <variant>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::fabric {

// Removes all events of the peer, its messages and its loss, because they must not be reported any
// more.
inline void erase_events_of(PeerId peer, std::vector<TransportEvent>& events) {
  std::erase_if(events, [peer](const TransportEvent& event) {
    const auto* received = std::get_if<Received>(&event);
    const auto* lost = std::get_if<PeerLost>(&event);
    return (received != nullptr && received->peer == peer) ||
           (lost != nullptr && lost->peer == peer);
  });
}

}  // namespace surety::fabric
