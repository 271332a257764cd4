// Messages of exchanges that have arrived at a simulated process. They are passed on in their
// order, including those that arrived before the process joined the exchange. Messages of exchanges
// that it has left are dropped.
//
// A process joins exchanges in ascending order, and is in one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace surety::sim {

class ExchangeInbox {
 public:
  using Messages = std::vector<std::pair<WorkerId, std::vector<std::byte>>>;

  // Returns true if messages have arrived before; take_early() returns them.
  [[nodiscard]] bool join(std::uint64_t exchange);
  void leave() { is_in_ = false; }

  [[nodiscard]] bool is_in_one() const { return is_in_; }
  [[nodiscard]] bool is_in(std::uint64_t exchange) const { return is_in_ && exchange == exchange_; }

  // A message has arrived. Returns true if it must be passed on now. Otherwise its bytes are moved
  // out, and kept as long as they may be needed.
  [[nodiscard]] bool take_if_due(std::uint64_t exchange, WorkerId from,
                                 std::vector<std::byte>& bytes);
  // From now on messages of this exchange are passed on at once. REQUIRES: is_in(exchange).
  [[nodiscard]] Messages take_early(std::uint64_t exchange);

 private:
  std::uint64_t exchange_ = 0;  // The last exchange that it joined.
  bool is_in_ = false;          // It has not left this exchange.
  std::map<std::uint64_t, Messages> early_;
};

}  // namespace surety::sim
