#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "fabric/scheduler/scheduler_state.h"

namespace surety::fabric {

// The class whose last start is longest ago comes first, so that no class gets only what others
// leave.
void Scheduler::State::decide(Direction direction) {
  std::vector<std::uint32_t> classes(side(direction).lanes.size());
  for (std::uint32_t c = 0; c < classes.size(); ++c) classes[c] = c;
  std::stable_sort(classes.begin(), classes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return side(direction).lanes[a].last_start < side(direction).lanes[b].last_start;
  });
  for (const std::uint32_t c : classes) {
    Lane& lane = side(direction).lanes[c];
    if (lane.round || side(direction).rotation.items(c).empty() || try_start(direction, c)) {
      lane.waiting_since.reset();
    } else if (!lane.waiting_since) {
      lane.waiting_since = now;
    }
  }
}

bool Scheduler::State::try_start(Direction direction, std::uint32_t speed_class) {
  std::vector<ItemId> items;
  const auto block = choose(direction, speed_class, items);
  if (!block) return false;
  Round round{.direction = direction, .speed_class = speed_class, .block = *block};
  round.members = hosts_of(direction, items);
  round.items = std::move(items);
  round.owners = owners();
  const GroupTransfer transfer = transfer_of(direction, round.members, round.owners);
  auto plan = planner.plan(cluster.spare(), transfer);
  if (is_worth_waiting(side(direction).lanes[speed_class], transfer, plan)) return false;
  if (!plan) return false;
  start(std::move(round), std::move(*plan));
  return true;
}

// Chooses the block and the members of the next round. Updates that are too stale are dropped.
std::optional<std::uint32_t> Scheduler::State::choose(Direction direction,
                                                      std::uint32_t speed_class,
                                                      std::vector<ItemId>& members) {
  BlockRotation& rotation = side(direction).rotation;
  const bool bounded = direction == Direction::kPush && options.staleness_max > 0;
  if (bounded) drop_stale(speed_class);
  BlockMask allowed = all_blocks(options.blocks);
  while (const auto block = rotation.next_block(speed_class, allowed)) {
    rotation.waiting_for(speed_class, *block, members);
    keep_reachable(direction, members);
    if (direction == Direction::kPush && options.members_max > 0) limit(members);
    if (bounded) drop_stale_block(*block, members);
    if (!members.empty()) return block;
    allowed &= ~block_bit(*block);
  }
  return std::nullopt;
}

std::int64_t Scheduler::State::slack(const Host& host) const {
  const double mean = static_cast<double>(committed) / options.blocks;
  const Pending& update = *host.update;
  const double rate = cluster.rate(update.id.worker, PortSide::kOut);
  return slack_of({.bound = options.staleness_max,
                   .version_read = static_cast<std::uint64_t>(update.read_mean),
                   .version_now = static_cast<std::uint64_t>(mean),
                   .commits_per_s = commits_per_s,
                   .transfer_s = options.blocks * options.block_bytes / rate});
}

void Scheduler::State::drop_stale(std::uint32_t speed_class) {
  const auto items = push.rotation.items(speed_class);
  for (const ItemId item : std::vector<ItemId>(items.begin(), items.end())) {
    const HostId id = push.rotation.item(item).host;
    Host& host = hosts[id.value];
    if (push.rotation.item(item).in_round || !host.update || host.update->item != item) continue;
    if (host.update->has_started || !guard.may_drop(id)) continue;
    const std::int64_t left = slack(host);
    if (left >= 0) continue;
    drop(host, push.rotation.item(item).need,
         {Reason::kTooStale, static_cast<double>(left), static_cast<double>(committed)});
  }
}

// Without a guard the bound is hard: a block that would commit beyond it is not sent.
void Scheduler::State::drop_stale_block(std::uint32_t block, std::vector<ItemId>& members) {
  if (options.consecutive_drops_max > 0) return;
  std::uint64_t ahead = versions[block];
  for (const auto& [id, round] : live) {
    if (round.direction == Direction::kPush && round.block == block) ahead += round.items.size();
  }
  std::erase_if(members, [&](ItemId item) {
    Host& host = hosts[push.rotation.item(item).host.value];
    const std::uint64_t staleness = ahead - host.update->read[block];
    if (staleness <= options.staleness_max) return false;
    drop(host, block_bit(block), {Reason::kBlockTooStale, static_cast<double>(staleness)});
    return true;
  });
}

// Limits the members of a push round. Updates that were begun or that may not be dropped come
// first, in order of arrival. The others follow in the order of their deadlines, or in order of
// arrival if there is no bound.
void Scheduler::State::limit(std::vector<ItemId>& members) {
  if (members.size() <= options.members_max) return;
  const auto host_of = [&](ItemId item) -> Host& {
    return hosts[push.rotation.item(item).host.value];
  };
  std::vector<ItemId> first;
  std::vector<ItemId> rest;
  for (const ItemId item : members) {
    const bool free = options.staleness_max > 0 && !host_of(item).update->has_started &&
                      guard.may_drop(push.rotation.item(item).host);
    (free ? rest : first).push_back(item);
  }
  std::stable_sort(first.begin(), first.end(), [&](ItemId a, ItemId b) {
    return host_of(a).update->arrival < host_of(b).update->arrival;
  });
  std::vector<Candidate> candidates;
  for (const ItemId item : rest) {
    const double transfer_s = options.blocks * options.block_bytes /
                              cluster.rate(push.rotation.item(item).host, PortSide::kOut);
    const auto ahead = static_cast<std::int64_t>(first.size());
    candidates.push_back({transfer_s, slack(host_of(item)) - ahead, -transfer_s});
  }
  const Selection selection = select(candidates);
  for (const std::uint32_t index : selection.dropped) {
    drop(host_of(rest[index]), push.rotation.item(rest[index]).need,
         {Reason::kNoPosition, static_cast<double>(candidates[index].slack)});
  }
  for (const std::uint32_t index : order(candidates, selection.kept)) first.push_back(rest[index]);
  first.resize(std::min<std::size_t>(first.size(), options.members_max));
  members = std::move(first);
}

// A member whose port currently serves other rounds would delay all others, so it waits for the
// next round.
void Scheduler::State::keep_reachable(Direction direction, std::vector<ItemId>& members) const {
  if (live.empty()) return;
  const BlockRotation& rotation = direction == Direction::kPush ? push.rotation : pull.rotation;
  const PortSide port = side_of(direction);
  std::erase_if(members, [&](ItemId item) {
    const std::uint32_t host = rotation.item(item).host.value;
    const double spare = rate_of(cluster.spare().ports[host], port);
    return spare * options.patience < rate_of(cluster.whole().ports[host], port);
  });
}

// Returns the members' hosts in ascending order.
std::vector<HostId> Scheduler::State::hosts_of(Direction direction,
                                               const std::vector<ItemId>& items) {
  std::vector<HostId> members;
  members.reserve(items.size());
  for (const ItemId item : items) members.push_back(side(direction).rotation.item(item).host);
  std::sort(members.begin(), members.end());
  return members;
}

GroupTransfer Scheduler::State::transfer_of(Direction direction, std::span<const HostId> members,
                                            std::span<const Share> owners) const {
  const double slices = static_cast<double>(members.size()) + 1;
  return {direction, members, cluster.aggregators(), owners,
          options.aggregator_bytes / (options.block_bytes * slices)};
}

// Current rounds end soon; starting with the little capacity that they leave would take longer.
bool Scheduler::State::is_worth_waiting(const Lane& lane, const GroupTransfer& transfer,
                                        const std::optional<SharePlan>& plan) {
  if (live.empty()) return false;
  if (!plan) return true;
  const PortSide port = side_of(transfer.direction);
  double fastest = std::numeric_limits<double>::infinity();
  for (const HostId member : transfer.members) {
    fastest = std::min(fastest, cluster.rate(member, port));
  }
  if (plan->s_per_byte * fastest <= options.patience) return false;
  const bool patient = !lane.waiting_since || now - *lane.waiting_since < options.patience_max;
  const auto alone = planner.plan(cluster.whole(), transfer);
  const double limit = patient ? options.patience : options.patience * options.patience;
  return alone && plan->s_per_byte > limit * alone->s_per_byte;
}

void Scheduler::State::start(Round round, SharePlan plan) {
  const GroupTransfer transfer = transfer_of(round.direction, round.members, round.owners);
  round.loads = planner.loads(cluster.spare(), transfer, plan);
  round.bytes_per_s = (1 - options.headroom) / std::max(plan.s_per_byte, 1e-15);
  round.started = now;
  const double planned_s = plan.s_per_byte * options.block_bytes;
  round.check_at = now + from_seconds(options.timer * planned_s);
  round.takes_part = round.members;
  for (const auto* shares : {&plan.first, &plan.second, &round.owners}) {
    for (const Share& share : *shares) round.takes_part.push_back(share.host);
  }
  std::sort(round.takes_part.begin(), round.takes_part.end());

  move_block(round.block);
  const RoundId id = ++last_round;
  Side& of = side(round.direction);
  of.rotation.start(round.speed_class, round.block, round.items);
  of.lanes[round.speed_class].round = id;
  of.lanes[round.speed_class].last_start = ++starts;
  cluster.reserve(round.loads, round.bytes_per_s);
  reserved_most = std::max(reserved_most, cluster.most_reserved(round.loads));
  if (round.direction == Direction::kPush) {
    for (const HostId member : round.members) hosts[member.value].update->has_started = true;
  } else {
    for (const HostId member : round.members) {
      hosts[member.value].pulling.versions[round.block] = versions[round.block];
    }
  }
  announce(id, round, std::move(plan));
  live.emplace(id, std::move(round));
}

void Scheduler::State::announce(RoundId id, const Round& round, SharePlan plan) {
  Grant grant{.round = id,
              .block = round.block,
              .epoch = epoch,
              .speed_class = round.speed_class,
              .members = round.members,
              .owners = round.owners};
  grant.why = {Reason::kMostWanted, static_cast<double>(round.members.size()),
               plan.s_per_byte * options.block_bytes};
  grant.plan = std::move(plan);
  if (round.direction == Direction::kPull) {
    actions.push_back(StartPull{std::move(grant), versions[round.block]});
    return;
  }
  for (const HostId member : round.members) {
    grant.updates.push_back(hosts[member.value].update->id);
  }
  actions.push_back(std::move(grant));
}

void Scheduler::State::abort(RoundId id, Round& round, Explanation why) {
  if (round.is_aborting) return;
  round.is_aborting = true;
  actions.push_back(Abort{id, why});
}

void Scheduler::State::check_slow_rounds() {
  for (auto& [id, round] : live) {
    if (!round.is_aborting && now >= round.check_at) check_round(id, round);
  }
}

// A round is slow because a member's own port became slow, and then the others continue without it;
// or because a host in between did, and then shares change. The round is aborted only if starting
// anew takes clearly less time than what is left, by current estimates.
void Scheduler::State::check_round(RoundId id, Round& round) {
  double s_per_byte = 0;
  for (const Load& load : round.loads) {
    const double capacity = cluster.capacity(load.resource);
    s_per_byte = std::max(s_per_byte, load.per_byte / std::max(capacity, 1e-9));
  }
  const double all_s = s_per_byte * options.block_bytes;
  const double left_s = all_s - to_seconds(now - round.started);
  round.check_at = now + from_seconds(options.timer * options.block_bytes / round.bytes_per_s);
  if (left_s <= 0) return;

  std::vector<HostId> rest;
  for (const HostId member : round.members) {
    if (class_of(member, round.direction) <= round.speed_class) rest.push_back(member);
  }
  const bool eject = !rest.empty() && rest.size() < round.members.size();
  cluster.release(round.loads, round.bytes_per_s);
  const auto& members = eject ? rest : round.members;
  const auto plan =
      planner.plan(cluster.spare(), transfer_of(round.direction, members, round.owners));
  cluster.reserve(round.loads, round.bytes_per_s);
  if (!plan) return;
  const double anew_s = plan->s_per_byte * options.block_bytes;
  if (anew_s >= options.restart_gain * left_s) return;
  abort(id, round, {eject ? Reason::kEject : Reason::kReplan, left_s, anew_s});
}

}  // namespace surety::fabric
