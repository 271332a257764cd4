#include "fabric/exchange/round_shape.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace surety::fabric {

Result<RoundShape> shape_of(const proto::RoundGranted& granted, const ExchangeOptions& options,
                            const OwnerPlacements& owners, RoundId newest) {
  const auto corrupt = [&](const char* what) {
    return fail(ErrorCode::kCorrupt, "exchange: round {}: {}", granted.round(), what);
  };
  if (granted.round() <= newest) return corrupt("it was granted out of order");
  if (granted.block() >= options.blocks) return corrupt("its block does not exist");
  const std::vector<Share>* of_placement = owners.find(granted.placement());
  if (of_placement == nullptr) return corrupt("its owners are unknown");
  RoundShape shape{.round = granted.round(),
                   .kind = granted.pull() ? RoundKind::kPull : RoundKind::kPush,
                   .speed_class = granted.speed_class(),
                   .block = granted.block(),
                   .owners = *of_placement};
  for (const std::uint32_t id : granted.members()) {
    const WorkerId member{id};
    const bool ascends = shape.members.empty() || shape.members.back() < member;
    if (!ascends || !is_worker(options, member))
      return corrupt("its members are not workers in ascending order");
    shape.members.push_back(member);
  }
  if (shape.members.empty()) return corrupt("it has no members");
  shape.without.assign(granted.without().begin(), granted.without().end());
  auto hubs = shares_of(granted.hubs(), granted.fractions(), options.workers.size());
  if (!hubs) return corrupt("its aggregators are not valid");
  double sum = granted.direct();
  bool positive = granted.direct() >= 0;
  for (const Share& hub : *hubs) {
    if (!is_worker(options, hub.worker)) return corrupt("an aggregator is not a worker");
    positive = positive && hub.fraction >= 0;
    sum += hub.fraction;
  }
  shape.plan.shares = *std::move(hubs);
  if (!positive || !(std::abs(sum - 1) < 1e-6)) return corrupt("its shares do not sum to 1");
  shape.plan.direct = granted.direct();
  return shape;
}

Result<RoundShape> shape_of(const proto::BlockMoved& moved, const ExchangeOptions& options,
                            const OwnerPlacements& owners, RoundId newest) {
  const std::vector<Share>* before = owners.find(moved.from_placement());
  const std::vector<Share>* after = owners.find(moved.placement());
  if (moved.round() <= newest || moved.block() >= options.blocks || before == nullptr ||
      after == nullptr) {
    return fail(ErrorCode::kCorrupt,
                "exchange: block {} cannot move from placement {} to placement {} in round {}",
                moved.block(), moved.from_placement(), moved.placement(), moved.round());
  }
  return RoundShape{.round = moved.round(),
                    .kind = RoundKind::kMove,
                    .block = moved.block(),
                    .owners = *before,
                    .new_owners = *after};
}

}  // namespace surety::fabric
