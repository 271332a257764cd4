#include "worker/operations/exchange_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "proto/surety.pb.h"

namespace surety::worker {

namespace {

// Rates count the bytes of the model, not those on the wire.
fabric::KnownPorts first_ports(double wire_scale) {
  fabric::KnownPorts ports;
  ports.typical_bytes_per_s /= wire_scale;
  return ports;
}

}  // namespace

Result<fabric::ExchangeOptions> exchange_of(const proto::Step& order, std::uint64_t elements,
                                            double wire_scale,
                                            const std::optional<fabric::KnownPorts>& known) {
  const proto::Asynchronous& how = order.asynchronous();
  const auto workers = static_cast<std::size_t>(order.members_size());
  if (workers == 0) return fail(ErrorCode::kDefect, "an exchange has no members");
  const fabric::KnownPorts ports = known.value_or(first_ports(wire_scale));
  const auto on_wire = static_cast<std::uint64_t>(wire_scale * static_cast<double>(elements));
  const std::uint64_t blocks =
      std::min<std::uint64_t>(fabric::blocks_for(on_wire, workers), elements);
  fabric::ExchangeOptions options{.elements = elements,
                                  .blocks = static_cast<std::uint32_t>(blocks),
                                  .nominal = {ports.typical_bytes_per_s, ports.typical_bytes_per_s},
                                  .slow_ports = ports.slow_ports};
  if (how.has_batch()) options.quorum.batch = how.batch();
  if (how.has_ahead()) options.quorum.ahead = how.ahead();
  if (how.has_staleness_max()) options.staleness_max = how.staleness_max();
  for (const proto::Peer& peer : order.members()) {
    options.workers.push_back(WorkerId{peer.worker()});
    options.owners.push_back({options.workers.back(), 1.0 / order.members_size()});
  }
  options.scheduler = options.workers.front();
  if (const Result<void> checked = fabric::check(options); !checked) {
    return fail(ErrorCode::kDefect, "{}", checked.error().message);
  }
  return options;
}

}  // namespace surety::worker
