// The options of an exchange, from the coordinator's order for an asynchronous step.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/exchange/options.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::worker {

// Options of an asynchronous step on a model of `elements` values. All members own equal parts;
// each one sums and applies its own, and the first one schedules. ENSURES: fabric::check() accepts
// the options. InvalidInput describes the first fault in them.
[[nodiscard]] Result<fabric::ExchangeOptions> exchange_of(const proto::Step& order,
                                                          std::uint64_t elements,
                                                          const fabric::KnownPorts& known);

}  // namespace surety::worker
