// Two of four workers, the scheduler and another one, receive arbitrary input as if from the other
// workers. They refuse it or carry it out; they never crash.
#include <algorithm>

#include "base/check.h"
#include "fabric/exchange/exchange.h"

using namespace surety;
using namespace surety::fabric;

namespace {

ExchangeOptions options() {
  ExchangeOptions options{.workers = {WorkerId{0}, WorkerId{1}, WorkerId{2}, WorkerId{3}},
                          .scheduler = WorkerId{0},
                          .elements = 10,
                          .blocks = 2};
  options.owners = {{WorkerId{0}, 0.5}, {WorkerId{1}, 0.5}};
  options.nominal = {1e6, 1e6};
  return options;
}

// Cuts the input into pieces: sender, length, and that many bytes.
void feed(Exchange& exchange, std::span<const std::byte> input) {
  Time now{};
  SURETY_CHECK(exchange.push(now, std::vector<float>(10, 1.0f)).has_value());
  while (input.size() >= 2) {
    const WorkerId from{std::to_integer<std::uint32_t>(input[0]) % 5};
    const auto size = std::min(std::to_integer<std::size_t>(input[1]), input.size() - 2);
    now += std::chrono::milliseconds(10);
    const auto taken = exchange.receive(now, from, input.subspan(2, size));
    if (!taken) {
      SURETY_CHECK(!taken.error().message.empty());
      return;
    }
    exchange.tick(now, std::nullopt);
    for (const WorkerId to : exchange.destinations()) {
      while (exchange.next_send(now, to, false)) {
      }
    }
    if (exchange.take_pulled() && exchange.idle()) exchange.retire(now);
    input = input.subspan(2 + size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (bytes.empty()) return 0;
  const WorkerId self{std::to_integer<std::uint32_t>(bytes[0]) % 2};
  Exchange exchange(options(), self, std::vector<float>(10, 0.0f), Time{});
  feed(exchange, bytes.subspan(1));
  return 0;
}
