#include "fabric/exchange/owner_placements.h"

#include <utility>

namespace surety::fabric {

OwnerPlacements::OwnerPlacements(const ExchangeOptions& options)
    : options_(options), owners_{{kFirstPlacement, options.owners}} {}

Result<void> OwnerPlacements::add(const proto::OwnersPlaced& placed) {
  const std::uint32_t last = owners_.rbegin()->first;
  auto owners = shares_of(placed.workers(), placed.fractions(), options_.workers.size());
  if (placed.placement() != last + 1 || !owners) {
    return fail(ErrorCode::kCorrupt,
                "exchange: found {} owners of placement {}, after those of placement {}",
                placed.workers_size(), placed.placement(), last);
  }
  if (const auto checked = check_owners(options_, *owners); !checked) {
    return fail(ErrorCode::kCorrupt, "{}", checked.error().message);
  }
  owners_[placed.placement()] = *std::move(owners);
  return {};
}

const std::vector<Share>* OwnerPlacements::find(std::uint32_t placement) const {
  const auto at = owners_.find(placement);
  return at == owners_.end() ? nullptr : &at->second;
}

std::optional<std::vector<Share>> shares_of(
    const google::protobuf::RepeatedField<std::uint32_t>& workers,
    const google::protobuf::RepeatedField<double>& fractions, std::size_t most) {
  const auto count = static_cast<std::size_t>(workers.size());
  if (workers.size() != fractions.size() || count > most) return std::nullopt;
  std::vector<Share> shares;
  for (int i = 0; i < workers.size(); ++i) shares.push_back({WorkerId{workers[i]}, fractions[i]});
  return shares;
}

}  // namespace surety::fabric
