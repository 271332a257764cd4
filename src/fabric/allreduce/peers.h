// Records which worker is at the other end of each connection, and which connections are lost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

struct LostPeer {
  PeerId peer = 0;
  std::optional<WorkerId> worker;  // Absent if the worker of this peer is not known.
  std::string reason;
};

// INVARIANT: each connection has one sender, and is lost at most once.
class Peers {
 public:
  // Sets the connections of the members of a round, which replace those of the round before.
  void set_members(std::map<WorkerId, PeerId> members) { members_ = std::move(members); }
  // The connection of a member; absent if there is none.
  [[nodiscard]] std::optional<PeerId> peer_of(WorkerId member) const;

  // A message on this connection names its sender. Returns the sender of the connection: the one
  // that its first message has named.
  WorkerId name_sender(PeerId peer, WorkerId sender);
  // The worker at the other end: the member with this connection, or otherwise its sender.
  // O(members).
  [[nodiscard]] std::optional<WorkerId> worker_of(PeerId peer) const;

  // A connection is lost. Returns nullopt if it was lost before.
  std::optional<LostPeer> lose(const PeerLost& lost);
  // The reason of the loss of this connection; null if it is not lost.
  [[nodiscard]] const std::string* loss_of(PeerId peer) const;
  // Returns the connections lost since the last call.
  [[nodiscard]] std::vector<LostPeer> take_lost() { return std::exchange(lost_, {}); }

  // Removes members, senders, and losses that were not returned yet. Lost connections stay lost.
  void reset();

 private:
  std::map<WorkerId, PeerId> members_;
  std::map<PeerId, WorkerId> senders_;
  // All connections ever lost, with the reason; a few bytes each.
  std::map<PeerId, std::string> reasons_;
  std::vector<LostPeer> lost_;
};

}  // namespace surety::fabric
