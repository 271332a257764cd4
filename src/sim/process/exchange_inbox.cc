#include "sim/process/exchange_inbox.h"

namespace surety::sim {

bool ExchangeInbox::join(std::uint64_t exchange) {
  exchange_ = exchange;
  is_in_ = true;
  early_.erase(early_.begin(), early_.lower_bound(exchange));
  return early_.contains(exchange);
}

bool ExchangeInbox::take_if_due(std::uint64_t exchange, WorkerId from,
                                std::vector<std::byte>& bytes) {
  const bool is_current = is_in(exchange);
  if (is_current && !early_.contains(exchange)) return true;
  if (is_current || exchange > exchange_) early_[exchange].emplace_back(from, std::move(bytes));
  return false;
}

ExchangeInbox::Messages ExchangeInbox::take_early(std::uint64_t exchange) {
  auto early = early_.extract(exchange);
  return early.empty() ? Messages{} : std::move(early.mapped());
}

}  // namespace surety::sim
