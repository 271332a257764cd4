#include "runtime/worker/peer_connections.h"

#include <utility>

namespace surety::runtime {

void PeerConnections::restart() {
  for (const auto& [worker, peer] : connections_) transport_.disconnect(peer);
  connections_.clear();
  addresses_.clear();
  lost_.clear();
}

void PeerConnections::know(const proto::Peer& peer) {
  addresses_[WorkerId{peer.worker()}] = peer.address();
}

Result<fabric::PeerId> PeerConnections::open(WorkerId worker) {
  if (const auto known = find(worker)) return *known;
  const auto address = addresses_.find(worker);
  if (address == addresses_.end()) {
    return fail(ErrorCode::kDefect, "worker {} has no known address", worker);
  }
  Result<fabric::PeerId> peer = transport_.connect(address->second);
  if (!peer) return fail_in(peer.error(), "worker {} at {}", worker, address->second);
  connections_[worker] = *peer;
  return *peer;
}

std::optional<fabric::PeerId> PeerConnections::find(WorkerId worker) const {
  const auto known = connections_.find(worker);
  if (known == connections_.end()) return std::nullopt;
  return known->second;
}

void PeerConnections::on_lost(const fabric::LostPeer& peer) {
  std::optional<WorkerId> worker = peer.worker;
  std::erase_if(connections_, [&](const auto& entry) {
    if (entry.second != peer.peer) return false;
    worker = entry.first;
    return true;
  });
  if (worker) add_lost(*worker, fmt::format("worker {}: {}", *worker, peer.reason));
}

std::vector<worker::WorkerLost> PeerConnections::take_lost() { return std::exchange(lost_, {}); }

}  // namespace surety::runtime
