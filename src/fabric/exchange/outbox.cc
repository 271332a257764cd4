#include "fabric/exchange/outbox.h"

#include <utility>

#include "fabric/exchange/frame.h"

namespace surety::fabric {

void Outbox::add(HostId to, const proto::ExchangeMessage& message) {
  queues_[to].push_back(encode_control(message));
}

std::optional<std::vector<std::byte>> Outbox::next(HostId to) {
  const auto at = queues_.find(to);
  if (at == queues_.end()) return std::nullopt;
  auto bytes = std::move(at->second.front());
  at->second.pop_front();
  if (at->second.empty()) queues_.erase(at);
  return bytes;
}

void Outbox::add_destinations(std::vector<HostId>& hosts) const {
  for (const auto& [host, messages] : queues_) hosts.push_back(host);
}

}  // namespace surety::fabric
