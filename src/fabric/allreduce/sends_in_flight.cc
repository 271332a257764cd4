#include "fabric/allreduce/sends_in_flight.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::fabric {

void SendsInFlight::add(std::uint64_t ticket, PeerId peer, std::shared_ptr<const void> bytes,
                        bool of_round) {
  SURETY_CHECK(sends_.try_emplace(ticket, Send{peer, std::move(bytes), of_round}).second);
  if (of_round) ++of_round_;
}

void SendsInFlight::on_sent(std::uint64_t ticket) {
  const auto at = sends_.find(ticket);
  if (at == sends_.end()) return;
  if (at->second.of_round) --of_round_;
  sends_.erase(at);
}

void SendsInFlight::forget(PeerId peer) {
  std::erase_if(sends_, [&](const auto& entry) {
    if (entry.second.peer != peer) return false;
    if (entry.second.of_round) --of_round_;
    return true;
  });
}

void SendsInFlight::leave_round() {
  for (auto& [ticket, send] : sends_) send.of_round = false;
  of_round_ = 0;
}

std::size_t SendsInFlight::size(PeerId peer) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sends_, [&](const auto& entry) { return entry.second.peer == peer; }));
}

std::vector<PeerId> SendsInFlight::peers() const {
  std::vector<PeerId> peers;
  for (const auto& [ticket, send] : sends_) peers.push_back(send.peer);
  return peers;
}

}  // namespace surety::fabric
