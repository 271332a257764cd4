#include "fabric/scheduler/pull_queue.h"

#include <utility>

#include "base/check.h"
#include "fabric/network/port_classes.h"

namespace surety::fabric {

PullQueue::PullQueue(std::uint32_t blocks, const Cluster& cluster, const BlockVersions& versions)
    : blocks_(blocks),
      cluster_(cluster),
      versions_(versions),
      rotation_(blocks, cluster.classes()) {}

void PullQueue::add(WorkerId id) {
  SURETY_CHECK(!is_pulling(id));
  if (id.value >= workers_.size()) workers_.resize(id.value + 1);
  Worker& worker = workers_[id.value];
  worker.item = rotation_.add(id, all_blocks(blocks_), cluster_.speed_class(id, PortSide::kIn));
  worker.pulling = {++worker.pulls, std::vector<std::uint64_t>(blocks_, 0)};
}

bool PullQueue::is_pulling(WorkerId id) const {
  return id.value < workers_.size() && workers_[id.value].item.has_value();
}

std::vector<std::uint64_t> PullQueue::versions_of(WorkerId id, PullNumber number) const {
  std::vector<std::uint64_t> versions(blocks_, 0);
  if (id.value >= workers_.size()) return versions;
  for (const Model& model : workers_[id.value].models) {
    versions = model.versions;
    if (model.number >= number) break;
  }
  return versions;
}

void PullQueue::start(std::uint32_t speed_class, std::uint32_t block,
                      std::span<const ItemId> items) {
  rotation_.start(speed_class, block, items);
  for (const ItemId item : items) {
    workers_[rotation_.item(item).worker.value].pulling.versions[block] = versions_.of(block);
  }
}

void PullQueue::end(std::uint32_t block, std::span<const ItemId> items,
                    std::vector<Action>& actions) {
  rotation_.finish(block, items);
  for (const ItemId item : items) end_item(item, actions);
}

void PullQueue::end_item(ItemId item, std::vector<Action>& actions) {
  const WorkerId id = rotation_.item(item).worker;
  Worker& worker = workers_[id.value];
  rotation_.set_class(item, cluster_.speed_class(id, PortSide::kIn));
  if (rotation_.item(item).need != 0) return;
  rotation_.remove(item);
  worker.item.reset();
  actions.push_back(ModelReady{id});
  worker.models.push_back(std::move(worker.pulling));
  if (worker.models.size() > kModelsKept) worker.models.erase(worker.models.begin());
}

void PullQueue::follow_ports() { fabric::follow_ports(rotation_, cluster_, PortSide::kIn); }

}  // namespace surety::fabric
