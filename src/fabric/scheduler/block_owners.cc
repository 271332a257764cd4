#include "fabric/scheduler/block_owners.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::fabric {

BlockOwners::BlockOwners(const SchedulerOptions& options)
    : interval_min_(options.placement_interval_min),
      shares_(options.owners),
      placements_(options.blocks, placement_) {
  SURETY_CHECK(!shares_.empty());
  for (const Share& share : shares_) may_own_.push_back(share.worker);
}

std::optional<PlaceOwners> BlockOwners::follow_ports(Time now, const Cluster& cluster) {
  if (placed_at_ && now - *placed_at_ < interval_min_) return std::nullopt;
  std::vector<WorkerId> quick;
  for (const WorkerId worker : may_own_) {
    if (cluster.has_fast_port(worker)) quick.push_back(worker);
  }
  if (quick.empty() || std::ranges::equal(quick, shares_, {}, {}, &Share::worker)) {
    return std::nullopt;
  }
  const auto after = static_cast<double>(quick.size());
  shares_.clear();
  for (const WorkerId worker : quick) shares_.push_back({worker, 1 / after});
  placed_at_ = now;
  return PlaceOwners{.owners = shares_, .placement = ++placement_};
}

std::optional<std::uint32_t> BlockOwners::move(std::uint32_t block) {
  const std::uint32_t before = std::exchange(placements_[block], placement_);
  if (before == placement_) return std::nullopt;
  return before;
}

}  // namespace surety::fabric
