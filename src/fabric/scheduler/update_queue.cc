#include "fabric/scheduler/update_queue.h"

#include <algorithm>

#include "base/check.h"
#include "fabric/network/port_classes.h"

namespace surety::fabric {

UpdateQueue::UpdateQueue(const SchedulerOptions& options, const Cluster& cluster,
                         const BlockVersions& versions)
    : options_(options),
      cluster_(cluster),
      versions_(versions),
      rotation_(options.blocks, cluster.classes()),
      guard_(options.consecutive_drops_max) {}

bool UpdateQueue::add(const UpdateId& id, std::vector<std::uint64_t> read) {
  const HostId worker = id.worker;
  if (worker.value >= updates_.size()) updates_.resize(worker.value + 1);
  if (updates_[worker.value] || seen_.admit(id) != Admission::kFirst) return false;
  Update update{.id = id, .read = std::move(read), .arrival = ++arrivals_};
  for (const std::uint64_t version : update.read) {
    update.read_mean += static_cast<double>(version) / options_.blocks;
  }
  update.item = rotation_.add(worker, all_blocks(options_.blocks),
                              cluster_.speed_class(worker, PortSide::kOut));
  updates_[worker.value] = std::move(update);
  return true;
}

void UpdateQueue::lose(HostId worker, std::vector<Action>& actions) {
  guard_.on_left(worker);
  if (worker.value >= updates_.size()) return;
  const auto update = std::exchange(updates_[worker.value], std::nullopt);
  if (!update) return;
  const BlockRotation::Item& item = rotation_.item(update->item);
  actions.push_back(DropUpdate{update->id, item.need, {Reason::kHostLost}});
  if (!item.in_round) rotation_.remove(update->item);
}

const UpdateId& UpdateQueue::update_of(HostId worker) const {
  SURETY_CHECK(worker.value < updates_.size() && updates_[worker.value]);
  return updates_[worker.value]->id;
}

// The current update of the item's worker. It is another one, or none, if the worker was lost while
// the item was in a round.
std::optional<UpdateQueue::Update>& UpdateQueue::of(ItemId item) {
  return updates_[rotation_.item(item).host.value];
}

double UpdateQueue::transfer_s(HostId worker) const {
  return options_.blocks * options_.block_bytes / cluster_.rate(worker, PortSide::kOut);
}

std::int64_t UpdateQueue::slack(const Update& update) const {
  return slack_of({.bound = *options_.staleness_max,
                   .version_read = static_cast<std::uint64_t>(update.read_mean),
                   .version_now = static_cast<std::uint64_t>(versions_.mean()),
                   .commits_per_s = versions_.commits_per_s(),
                   .transfer_s = transfer_s(update.id.worker)});
}

void UpdateQueue::drop_stale(std::uint32_t speed_class, std::vector<Action>& actions) {
  if (!options_.staleness_max) return;
  const auto items = rotation_.items(speed_class);
  for (const ItemId item : std::vector<ItemId>(items.begin(), items.end())) {
    const auto& update = of(item);
    if (rotation_.item(item).in_round || !update || update->item != item) continue;
    if (update->has_started || !guard_.may_drop(update->id.worker)) continue;
    const std::int64_t left = slack(*update);
    if (left >= 0) continue;
    drop(item, rotation_.item(item).need,
         {Reason::kTooStale, static_cast<double>(left), static_cast<double>(versions_.committed())},
         actions);
  }
}

void UpdateQueue::select_members(std::uint32_t block, std::uint64_t ahead,
                                 std::vector<ItemId>& members, std::vector<Action>& actions) {
  if (options_.members_max) limit(members, actions);
  const bool is_hard = options_.staleness_max && !options_.consecutive_drops_max;
  if (is_hard) drop_stale_block(block, ahead, members, actions);
}

// Without a guard, a block that would commit beyond the bound is not sent.
void UpdateQueue::drop_stale_block(std::uint32_t block, std::uint64_t ahead,
                                   std::vector<ItemId>& members, std::vector<Action>& actions) {
  const std::uint64_t version = versions_.of(block) + ahead;
  std::erase_if(members, [&](ItemId item) {
    const std::uint64_t staleness = version - of(item)->read[block];
    if (staleness <= *options_.staleness_max) return false;
    drop(item, block_bit(block), {Reason::kBlockTooStale, static_cast<double>(staleness)}, actions);
    return true;
  });
}

// Limits the members of a round. Updates that were begun or that may not be dropped come first, in
// order of arrival. The others follow in the order of their deadlines, or in order of arrival if
// there is no bound.
void UpdateQueue::limit(std::vector<ItemId>& members, std::vector<Action>& actions) {
  if (members.size() <= *options_.members_max) return;
  std::vector<ItemId> first;
  std::vector<ItemId> rest;
  for (const ItemId item : members) {
    const bool free = options_.staleness_max && !of(item)->has_started &&
                      guard_.may_drop(rotation_.item(item).host);
    (free ? rest : first).push_back(item);
  }
  std::ranges::stable_sort(first, {}, [&](ItemId item) { return of(item)->arrival; });
  std::vector<Candidate> candidates;
  const auto ahead = static_cast<std::int64_t>(first.size());
  for (const ItemId item : rest) {
    const double seconds = transfer_s(rotation_.item(item).host);
    candidates.push_back({seconds, slack(*of(item)) - ahead, -seconds});
  }
  const Selection selection = select(candidates);
  for (const std::uint32_t index : selection.dropped) {
    drop(rest[index], rotation_.item(rest[index]).need,
         {Reason::kNoPosition, static_cast<double>(candidates[index].slack)}, actions);
  }
  for (const std::uint32_t index : order(candidates, selection.kept)) first.push_back(rest[index]);
  first.resize(std::min<std::size_t>(first.size(), *options_.members_max));
  members = std::move(first);
}

void UpdateQueue::drop(ItemId item, BlockMask blocks, Explanation why,
                       std::vector<Action>& actions) {
  const Update& update = *of(item);
  const HostId worker = update.id.worker;
  actions.push_back(DropUpdate{update.id, blocks, why});
  rotation_.drop(item, blocks);
  if (rotation_.item(item).need != 0) return;
  if (update.committed == 0) guard_.on_dropped(worker);
  finish(worker, actions);
}

void UpdateQueue::start(std::uint32_t speed_class, std::uint32_t block,
                        std::span<const ItemId> items) {
  rotation_.start(speed_class, block, items);
  for (const ItemId item : items) of(item)->has_started = true;
}

void UpdateQueue::end(std::uint32_t block, std::span<const ItemId> items, bool done,
                      std::vector<Action>& actions) {
  rotation_.finish(block, items, done);
  for (const ItemId item : items) end_item(item, block, done, actions);
}

void UpdateQueue::end_item(ItemId item, std::uint32_t block, bool done,
                           std::vector<Action>& actions) {
  const HostId worker = rotation_.item(item).host;
  auto& update = of(item);
  if (!update || update->item != item) return rotation_.remove(item);  // The worker was lost.
  rotation_.set_class(item, cluster_.speed_class(worker, PortSide::kOut));
  if (!done) return;
  update->committed |= block_bit(block);
  if (rotation_.item(item).need == 0) finish(worker, actions);
}

void UpdateQueue::finish(HostId worker, std::vector<Action>& actions) {
  const Update update = *std::exchange(updates_[worker.value], std::nullopt);
  rotation_.remove(update.item);
  if (update.committed != 0) guard_.on_accepted(worker);
  actions.push_back(UpdateDone{update.id, update.committed, {Reason::kComplete}});
  finished_.push_back(worker);
}

void UpdateQueue::follow_ports() { fabric::follow_ports(rotation_, cluster_, PortSide::kOut); }

}  // namespace surety::fabric
