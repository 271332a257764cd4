#include "fabric/scheduler/update_queue.h"

#include "base/check.h"
#include "fabric/network/port_classes.h"

namespace surety::fabric {

UpdateQueue::UpdateQueue(const SchedulerOptions& options, const Cluster& cluster,
                         const BlockVersions& versions)
    : options_(options),
      cluster_(cluster),
      versions_(versions),
      rotation_(options.blocks, cluster.classes()) {}

bool UpdateQueue::add(const UpdateId& id, std::span<const std::uint64_t> read) {
  const WorkerId worker = id.worker;
  if (worker.value >= updates_.size()) updates_.resize(worker.value + 1);
  if (updates_[worker.value]) return false;
  Update update{.id = id};
  for (const std::uint64_t version : read) update.read_sum += version;
  update.item = rotation_.add(worker, all_blocks(options_.blocks),
                              cluster_.speed_class(worker, PortSide::kOut));
  updates_[worker.value] = update;
  return true;
}

UpdateQueue::Update& UpdateQueue::of(ItemId item) {
  return *updates_[rotation_.item(item).worker.value];
}

std::int64_t UpdateQueue::slack(const Update& update) const {
  const double rate = cluster_.rate(update.id.worker, PortSide::kOut);
  return slack_of({.bound = *options_.staleness_max,
                   .version_read = update.read_sum / options_.blocks,
                   .version_now = versions_.committed() / options_.blocks,
                   .commits_per_s = versions_.commits_per_s(),
                   .transfer_s = options_.blocks * options_.block_bytes / rate});
}

void UpdateQueue::drop_stale(std::uint32_t speed_class, std::vector<Action>& actions) {
  if (!options_.staleness_max) return;
  const auto items = rotation_.items(speed_class);
  for (const ItemId item : std::vector<ItemId>(items.begin(), items.end())) {
    const Update& update = of(item);
    if (update.has_started || !guard_.may_drop(update.id.worker)) continue;
    if (slack(update) < 0) drop(update, actions);
  }
}

void UpdateQueue::drop(const Update& update, std::vector<Action>& actions) {
  const WorkerId worker = update.id.worker;
  actions.push_back(DropUpdate{update.id, all_blocks(options_.blocks)});
  guard_.on_dropped(worker);
  finish(worker, actions);
}

void UpdateQueue::start(std::uint32_t speed_class, std::uint32_t block,
                        std::span<const ItemId> items) {
  rotation_.start(speed_class, block, items);
  for (const ItemId item : items) of(item).has_started = true;
}

void UpdateQueue::end(std::uint32_t block, std::span<const ItemId> items,
                      std::vector<Action>& actions) {
  rotation_.finish(block, items);
  for (const ItemId item : items) end_item(item, actions);
}

void UpdateQueue::end_item(ItemId item, std::vector<Action>& actions) {
  const WorkerId worker = rotation_.item(item).worker;
  rotation_.set_class(item, cluster_.speed_class(worker, PortSide::kOut));
  if (rotation_.item(item).need == 0) finish(worker, actions);
}

void UpdateQueue::finish(WorkerId worker, std::vector<Action>& actions) {
  const Update update = *std::exchange(updates_[worker.value], std::nullopt);
  rotation_.remove(update.item);
  if (update.has_started) guard_.on_accepted(worker);
  actions.push_back(UpdateDone{update.id});
  finished_.push_back(worker);
}

void UpdateQueue::follow_ports() { fabric::follow_ports(rotation_, cluster_, PortSide::kOut); }

}  // namespace surety::fabric
