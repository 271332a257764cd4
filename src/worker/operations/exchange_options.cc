#include "worker/operations/exchange_options.h"

#include <cstdint>
#include <optional>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace {

// A mode is sent as its number.
static_assert(static_cast<int>(fabric::TrainMode::kAsync) == proto::TRAIN_MODE_ASYNC);
static_assert(static_cast<int>(fabric::TrainMode::kBoundedStaleness) ==
              proto::TRAIN_MODE_BOUNDED_STALENESS);
static_assert(static_cast<int>(fabric::TrainMode::kBatch) == proto::TRAIN_MODE_BATCH);

}  // namespace

Result<fabric::ExchangeOptions> exchange_of(const proto::Step& order, std::uint64_t elements,
                                            const fabric::KnownPorts& known) {
  const proto::Asynchronous& how = order.asynchronous();
  const auto hosts = static_cast<std::size_t>(order.members_size());
  // Synchronous iterations have no exchange.
  const bool has_exchange =
      proto::TrainMode_IsValid(how.mode()) && how.mode() != proto::TRAIN_MODE_SYNC;
  if (!has_exchange || hosts == 0) {
    return fail(ErrorCode::kInvalidInput, "asynchronous mode {} is not possible with {} members",
                static_cast<int>(how.mode()), hosts);
  }
  fabric::ExchangeOptions options{
      .elements = elements,
      .blocks = fabric::blocks_for(elements, hosts),
      .quorum = {.mode = static_cast<fabric::TrainMode>(how.mode()),
                 .batch = how.quorum(),
                 .ahead = how.ahead()},
      .staleness_max = how.has_staleness_max() ? std::optional(how.staleness_max()) : std::nullopt,
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
