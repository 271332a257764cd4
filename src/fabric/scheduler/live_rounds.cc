#include "fabric/scheduler/live_rounds.h"

#include <algorithm>
#include <utility>

namespace surety::fabric {

RoundId LiveRounds::start(Time now, LiveRound round, const SharePlan& plan) {
  Entry entry;
  entry.takes_part = round.members;
  entry.loads = planner_.loads({round.direction, round.members, round.owners}, plan);
  entry.bytes_per_s = (1 - options_.headroom) / std::max(plan.s_per_byte, 1e-15);
  entry.started = now;
  entry.check_at = now + from_seconds(options_.timer * planner_.seconds(plan));
  for (const std::vector<Share>* shares :
       {&plan.first, &plan.second, &std::as_const(round.owners)}) {
    for (const Share& share : *shares) entry.takes_part.push_back(share.host);
  }
  std::sort(entry.takes_part.begin(), entry.takes_part.end());
  entry.round = std::move(round);
  cluster_.reserve(entry.loads, entry.bytes_per_s);
  reserved_most_ = std::max(reserved_most_, cluster_.most_reserved(entry.loads));
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

std::uint64_t LiveRounds::updates_of(std::uint32_t block) const {
  std::uint64_t updates = 0;
  for (const auto& [id, entry] : rounds_) {
    const LiveRound& round = entry.round;
    if (round.direction == Direction::kPush && round.block == block) updates += round.items.size();
  }
  return updates;
}

void LiveRounds::abort(RoundId id, Entry& entry, Explanation why, std::vector<Action>& actions) {
  if (entry.is_aborting) return;
  entry.is_aborting = true;
  actions.push_back(Abort{id, why});
}

void LiveRounds::abort_rounds_of(HostId host, std::vector<Action>& actions) {
  for (auto& [id, entry] : rounds_) {
    if (!std::ranges::binary_search(entry.takes_part, host)) continue;
    abort(id, entry, {Reason::kHostLost}, actions);
  }
}

void LiveRounds::abort_slow(Time now, std::vector<Action>& actions) {
  for (auto& [id, entry] : rounds_) {
    if (!entry.is_aborting && now >= entry.check_at) check(now, id, entry, actions);
  }
}

void LiveRounds::check(Time now, RoundId id, Entry& entry, std::vector<Action>& actions) {
  const LiveRound& round = entry.round;
  double s_per_byte = 0;
  for (const Load& load : entry.loads) {
    const double capacity = cluster_.capacity(load.resource);
    s_per_byte = std::max(s_per_byte, load.per_byte / std::max(capacity, 1e-9));
  }
  const double all_s = s_per_byte * options_.block_bytes;
  const double left_s = all_s - to_seconds(now - entry.started);
  entry.check_at = now + from_seconds(options_.timer * options_.block_bytes / entry.bytes_per_s);
  if (left_s <= 0) return;

  std::vector<HostId> rest;
  for (const HostId member : round.members) {
    const auto speed_class = cluster_.speed_class(member, side_of(round.direction));
    if (speed_class <= round.speed_class) rest.push_back(member);
  }
  const bool eject = !rest.empty() && rest.size() < round.members.size();
  // The new round could use what is promised to this one.
  cluster_.release(entry.loads, entry.bytes_per_s);
  const std::vector<HostId>& members = eject ? rest : round.members;
  const auto plan = planner_.plan({round.direction, members, round.owners});
  cluster_.reserve(entry.loads, entry.bytes_per_s);
  if (!plan) return;
  const double anew_s = planner_.seconds(*plan);
  if (anew_s >= options_.restart_gain * left_s) return;
  abort(id, entry, {eject ? Reason::kEject : Reason::kReplan, left_s, anew_s}, actions);
}

}  // namespace surety::fabric
