// Messages of exchanges that have come to a simulated process. They are passed on in their order,
// also those that came before the process joined the exchange; those of exchanges that it has left
// are dropped.
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

  // Returns true if messages have come before; take_early() returns them.
  [[nodiscard]] bool join(std::uint64_t exchange);
  void leave() { is_in_ = false; }

  [[nodiscard]] bool is_in_one() const { return is_in_; }
  [[nodiscard]] bool is_in(std::uint64_t exchange) const { return is_in_ && exchange == exchange_; }

  // A message has come. Returns true if it is to be passed on now. Otherwise it is kept while it
  // may be needed, and its bytes are moved from.
  [[nodiscard]] bool passes_on(std::uint64_t exchange, WorkerId from,
                               std::vector<std::byte>& bytes);
  // From now on messages of this exchange are passed on at once. REQUIRES: is_in(exchange).
  [[nodiscard]] Messages take_early(std::uint64_t exchange);

 private:
  std::uint64_t exchange_ = 0;  // The last one that it joined.
  bool is_in_ = false;          // It has not left that one.
  std::map<std::uint64_t, Messages> early_;
};

}  // namespace surety::sim
