#include "fabric/allreduce/peers.h"

namespace surety::fabric {

std::optional<PeerId> Peers::peer_of(WorkerId member) const {
  const auto at = members_.find(member);
  if (at == members_.end()) return std::nullopt;
  return at->second;
}

WorkerId Peers::name_sender(PeerId peer, WorkerId sender) {
  return senders_.try_emplace(peer, sender).first->second;
}

std::optional<WorkerId> Peers::worker_of(PeerId peer) const {
  for (const auto& [worker, connection] : members_) {
    if (connection == peer) return worker;
  }
  const auto at = senders_.find(peer);
  if (at == senders_.end()) return std::nullopt;
  return at->second;
}

std::optional<LostPeer> Peers::lose(const PeerLost& lost) {
  if (!reasons_.emplace(lost.peer, lost.reason).second) return std::nullopt;
  lost_.push_back({lost.peer, worker_of(lost.peer), lost.reason});
  senders_.erase(lost.peer);
  return lost_.back();
}

const std::string* Peers::loss_of(PeerId peer) const {
  const auto at = reasons_.find(peer);
  return at == reasons_.end() ? nullptr : &at->second;
}

void Peers::reset() {
  members_.clear();
  senders_.clear();
  lost_.clear();
}

}  // namespace surety::fabric
