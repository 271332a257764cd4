#include "fabric/scheduler/live_rounds.h"

#include <algorithm>
#include <utility>

namespace surety::fabric {

RoundId LiveRounds::start(LiveRound round, const SharePlan& plan) {
  Entry entry;
  entry.loads = planner_.loads({round.direction, round.members, round.owners}, plan);
  entry.bytes_per_s = (1 - headroom_) / std::max(plan.s_per_byte, 1e-15);
  entry.round = std::move(round);
  cluster_.reserve(entry.loads, entry.bytes_per_s);
  const RoundId id = next_id();
  rounds_.emplace(id, std::move(entry));
  return id;
}

std::optional<LiveRound> LiveRounds::end(RoundId id) {
  const auto at = rounds_.find(id);
  if (at == rounds_.end()) return std::nullopt;
  const Entry entry = std::move(at->second);
  rounds_.erase(at);
  cluster_.release(entry.loads, entry.bytes_per_s);
  return entry.round;
}

}  // namespace surety::fabric
