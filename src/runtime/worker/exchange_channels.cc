#include "runtime/worker/exchange_channels.h"

#include <utility>

namespace surety::runtime {

void ExchangeChannels::join(std::uint64_t sequence, const std::vector<WorkerId>& members,
                            WorkerId self) {
  current_ = Current{.sequence = sequence};
  for (const WorkerId member : members) {
    if (member == self) continue;
    const Result<fabric::PeerId> peer = connections_.open(member);
    if (!peer) {
      connections_.add_lost(member, peer.error().message);
    } else {
      current_->channels[member];
    }
  }
}

void ExchangeChannels::leave(std::uint64_t sequence) {
  if (current_ && current_->sequence == sequence) current_.reset();
}

std::optional<std::uint64_t> ExchangeChannels::sequence() const {
  if (!current_) return std::nullopt;
  return current_->sequence;
}

void ExchangeChannels::send(WorkerId to, fabric::Exchange::Send message) {
  Channel& channel = current_->channels[to];
  const fabric::Tag tag{.round = current_->sequence, .sender = 0, .step = channel.next++};
  const auto connection = connections_.find(to);
  if (!connection) {
    return connections_.add_lost(to, fmt::format("worker {}: the connection was lost", to));
  }
  const Result<std::uint64_t> sent = rounds_.send_blob(*connection, tag, std::move(message.bytes));
  if (!sent) return connections_.add_lost(to, sent.error().message);
  ++channel.in_flight;
}

std::vector<WorkerId> ExchangeChannels::take_sent() {
  std::vector<WorkerId> sent;
  for (auto& [worker, channel] : current_->channels) {
    const auto connection = connections_.find(worker);
    if (!connection) continue;
    const std::size_t in_flight = rounds_.sends().size(*connection);
    for (; channel.in_flight > in_flight; --channel.in_flight) sent.push_back(worker);
  }
  return sent;
}

}  // namespace surety::runtime
