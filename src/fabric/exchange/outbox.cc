#include "fabric/exchange/outbox.h"

#include <utility>

#include "fabric/exchange/frame.h"

namespace surety::fabric {

void Outbox::add(WorkerId to, const proto::ExchangeMessage& message) {
  queues_[to].push_back(encode_control(message));
}

std::optional<std::vector<std::byte>> Outbox::next(WorkerId to) {
  const auto at = queues_.find(to);
  if (at == queues_.end()) return std::nullopt;
  auto bytes = std::move(at->second.front());
  at->second.pop_front();
  if (at->second.empty()) queues_.erase(at);
  return bytes;
}

void Outbox::add_destinations(std::vector<WorkerId>& workers) const {
  for (const auto& [worker, messages] : queues_) workers.push_back(worker);
}

}  // namespace surety::fabric
