#include "worker/operations/exchange_options.h"

#include <cstdint>
#include <optional>

#include "proto/surety.pb.h"

namespace surety::worker {

Result<fabric::ExchangeOptions> exchange_of(const proto::Step& order, std::uint64_t elements,
                                            const fabric::KnownPorts& known) {
  const proto::Asynchronous& how = order.asynchronous();
  const auto hosts = static_cast<std::size_t>(order.members_size());
  if (how.mode() > static_cast<std::uint32_t>(fabric::TrainMode::kSync) || hosts == 0) {
    return fail(ErrorCode::kInvalidInput, "asynchronous mode {} is not possible with {} members",
                how.mode(), hosts);
  }
  fabric::ExchangeOptions options{
      .elements = elements,
      .blocks = fabric::blocks_for(elements, hosts),
      .quorum = {.mode = static_cast<fabric::TrainMode>(how.mode()),
                 .batch = how.quorum(),
                 .ahead = how.ahead()},
      .staleness_max = how.staleness_max() > 0 ? std::optional(how.staleness_max()) : std::nullopt,
      .nominal = {known.typical_bytes_per_s, known.typical_bytes_per_s},
      .slow_ports = known.slow_ports};
  for (const proto::Peer& peer : order.members()) {
    options.hosts.push_back(WorkerId{peer.worker()});
    options.owners.push_back({options.hosts.back(), 1.0 / order.members_size()});
  }
  options.scheduler = options.hosts.front();
  SURETY_TRY(fabric::check(options));
  return options;
}

}  // namespace surety::worker
