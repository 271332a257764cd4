// The options of an exchange, from the coordinator's order for an asynchronous step.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "fabric/exchange/options.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::worker {

// Options of an asynchronous step on a model of `elements` values, each of which takes `wire_scale`
// times the bytes of a float on the wire (Network::wire_scale()). `known` is absent before the
// first exchange. All members own equal parts. Each one sums and applies its own, and the first one
// schedules. ENSURES: check(). Defect: the order has no members or wrong options.
[[nodiscard]] Result<fabric::ExchangeOptions> exchange_of(
    const proto::Step& order, std::uint64_t elements, double wire_scale,
    const std::optional<fabric::KnownPorts>& known);

}  // namespace surety::worker
