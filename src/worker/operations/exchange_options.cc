#include "worker/operations/exchange_options.h"

#include <cstdint>

#include "proto/surety.pb.h"

namespace surety::worker {

Result<fabric::ExchangeOptions> exchange_of(const proto::Step& order, std::uint64_t elements,
                                            const fabric::KnownPorts& known) {
  const proto::Asynchronous& how = order.asynchronous();
  const auto hosts = static_cast<std::size_t>(order.members_size());
  if (hosts == 0) return fail(ErrorCode::kInvalidInput, "an exchange has no members");
  fabric::ExchangeOptions options{.elements = elements,
                                  .blocks = fabric::blocks_for(elements, hosts),
                                  .nominal = {known.typical_bytes_per_s, known.typical_bytes_per_s},
                                  .slow_ports = known.slow_ports};
  if (how.has_batch()) options.quorum.batch = how.batch();
  if (how.has_ahead()) options.quorum.ahead = how.ahead();
  if (how.has_staleness_max()) options.staleness_max = how.staleness_max();
  for (const proto::Peer& peer : order.members()) {
    options.hosts.push_back(WorkerId{peer.worker()});
    options.owners.push_back({options.hosts.back(), 1.0 / order.members_size()});
  }
  options.scheduler = options.hosts.front();
  SURETY_TRY(fabric::check(options));
  return options;
}

}  // namespace surety::worker
