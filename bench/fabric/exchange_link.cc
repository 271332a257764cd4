#include "bench/fabric/exchange_link.h"

namespace surety::fabric {

ExchangeLink::ExchangeLink(const ExchangeLinkOptions& options, Rounds& rounds, Exchange& exchange,
                           std::map<WorkerId, PeerId> peers, Time now)
    : options_(options),
      rounds_(rounds),
      exchange_(exchange),
      peers_(std::move(peers)),
      next_tick_(now + options.tick) {}

Result<void> ExchangeLink::advance(Time now) {
  SURETY_TRY(receive(now));
  if (now >= next_tick_) {
    exchange_.tick(now, rounds_.port_bytes());
    next_tick_ = now + options_.tick;
  }
  return send(now);
}

Result<void> ExchangeLink::receive(Time now) {
  for (const auto& [tag, bytes] : rounds_.take_blobs(options_.id)) {
    SURETY_TRY(exchange_.receive(now, WorkerId{tag.sender}, bytes));
  }
  for (const LostPeer& lost : rounds_.take_lost()) {
    for (const auto& [host, peer] : peers_) {
      if (peer != lost.peer && host != lost.worker) continue;
      lost_ = host;
      return fail(ErrorCode::kUnavailable, "host {}: {}", host, lost.reason);
    }
  }
  return {};
}

Result<void> ExchangeLink::send(Time now) {
  const std::size_t sends_per_peer = exchange_.has_slow_port() ? 1 : options_.sends_per_peer;
  for (const WorkerId to : exchange_.destinations()) {
    const PeerId peer = peers_.at(to);
    while (true) {
      const bool busy = rounds_.sends().size(peer) >= sends_per_peer;
      auto message = exchange_.next_send(now, to, busy);
      if (!message) break;
      (message->data ? data_bytes_ : control_bytes_) += message->bytes.size();
      const Tag tag{.round = options_.id, .sender = 0, .step = numbers_[to]++};
      const auto sent = rounds_.send_blob(peer, tag, std::move(message->bytes));
      if (sent) continue;
      lost_ = to;
      return fail_in(sent.error(), "host {}", to);
    }
  }
  return {};
}

}  // namespace surety::fabric
