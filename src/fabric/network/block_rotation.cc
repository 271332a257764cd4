#include "fabric/network/block_rotation.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace surety::fabric {

BlockRotation::BlockRotation(std::uint32_t blocks, std::uint32_t classes)
    : blocks_(blocks), classes_(classes) {
  SURETY_CHECK(blocks >= 1 && blocks <= kBlocksMax && classes >= 1);
  for (Class& each : classes_) each.last = blocks - 1;
}

void BlockRotation::count(const Item& item, BlockMask blocks, int change) {
  auto& wanted = classes_[item.speed_class].wanted;
  for (BlockMask left = blocks; left != 0; left &= left - 1) {
    wanted[static_cast<std::size_t>(std::countr_zero(left))] += static_cast<std::uint32_t>(change);
  }
}

ItemId BlockRotation::add(WorkerId worker, BlockMask need, std::uint32_t speed_class) {
  SURETY_CHECK(need != 0 && (need & ~all_blocks(blocks_)) == 0);
  if (free_.empty()) {
    free_.push_back(ItemId{static_cast<std::uint32_t>(items_.size())});
    items_.emplace_back();
  }
  const ItemId id = free_.back();
  free_.pop_back();
  items_[id.value] = {worker, need, speed_class, false, true};
  auto& items = classes_[speed_class].items;
  items.insert(std::lower_bound(items.begin(), items.end(), id), id);
  count(items_[id.value], need, 1);
  return id;
}

void BlockRotation::remove(ItemId id) {
  Item& item = items_[id.value];
  SURETY_CHECK(item.is_live && !item.in_round);
  count(item, item.need, -1);
  auto& items = classes_[item.speed_class].items;
  items.erase(std::lower_bound(items.begin(), items.end(), id));
  item.is_live = false;
  free_.push_back(id);
}

void BlockRotation::set_class(ItemId id, std::uint32_t speed_class) {
  Item& item = items_[id.value];
  SURETY_CHECK(item.is_live && !item.in_round);
  if (item.speed_class == speed_class) return;
  count(item, item.need, -1);
  auto& from = classes_[item.speed_class].items;
  from.erase(std::lower_bound(from.begin(), from.end(), id));
  item.speed_class = speed_class;
  auto& to = classes_[speed_class].items;
  to.insert(std::lower_bound(to.begin(), to.end(), id), id);
  count(item, item.need, 1);
}

std::optional<std::uint32_t> BlockRotation::next_block(std::uint32_t speed_class,
                                                       BlockMask allowed) const {
  const Class& from = classes_[speed_class];
  std::optional<std::uint32_t> best;
  for (std::uint32_t turn = 1; turn <= blocks_; ++turn) {
    const std::uint32_t block = (from.last + turn) % blocks_;
    if ((allowed & block_bit(block)) == 0 || from.wanted[block] == 0) continue;
    if (!best || from.wanted[block] > from.wanted[*best]) best = block;
  }
  return best;
}

void BlockRotation::waiting_for(std::uint32_t speed_class, std::uint32_t block,
                                std::vector<ItemId>& out) const {
  out.clear();
  for (const ItemId id : classes_[speed_class].items) {
    const Item& item = items_[id.value];
    if (!item.in_round && (item.need & block_bit(block)) != 0) out.push_back(id);
  }
}

std::vector<WorkerId> BlockRotation::workers_of(std::span<const ItemId> items) const {
  std::vector<WorkerId> workers;
  workers.reserve(items.size());
  for (const ItemId id : items) workers.push_back(item(id).worker);
  std::sort(workers.begin(), workers.end());
  return workers;
}

void BlockRotation::start(std::uint32_t speed_class, std::uint32_t block,
                          std::span<const ItemId> members) {
  for (const ItemId id : members) {
    Item& item = items_[id.value];
    SURETY_CHECK(item.is_live && !item.in_round && (item.need & block_bit(block)) != 0);
    item.in_round = true;
  }
  classes_[speed_class].last = block;
}

void BlockRotation::finish(std::uint32_t block, std::span<const ItemId> members) {
  for (const ItemId id : members) {
    Item& item = items_[id.value];
    SURETY_CHECK(item.in_round);
    item.in_round = false;
    item.need &= ~block_bit(block);
    --classes_[item.speed_class].wanted[block];
  }
}

}  // namespace surety::fabric
