// Chooses the block of the next round and the items that take part: group commit without waiting
// for a group.
//
// An item is an update to push or a model to pull: a worker and the blocks that it still needs.
// Each speed class transfers one block at a time. All items that need the block when its round
// starts take part. The next block is the one that most items wait for. So a new item joins at the
// next block, milliseconds later, and leaves when every block was transferred for it.
//
// This class does not deal with bandwidth or staleness.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/network/types.h"

namespace surety::fabric {

using ItemId = Id<struct ItemTag>;  // Dense; reused after remove().

class BlockRotation {
 public:
  // REQUIRES: 1 <= blocks <= kBlocksMax, classes >= 1.
  BlockRotation(std::uint32_t blocks, std::uint32_t classes);

  struct Item {
    WorkerId worker;
    BlockMask need = 0;
    std::uint32_t speed_class = 0;
    bool in_round = false;
    bool is_live = false;
  };

  // REQUIRES: need is not empty. O(blocks + items of the class).
  ItemId add(WorkerId worker, BlockMask need, std::uint32_t speed_class);
  // REQUIRES for these two functions: the item is in no round. O(blocks + items of the class).
  void remove(ItemId id);
  void set_class(ItemId id, std::uint32_t speed_class);

  // Returns the block, of those allowed, that most items of the class need. Ties go to the first
  // one after the block of the last round, in cyclic order. Returns nullopt if no item needs an
  // allowed block. REQUIRES: the class has no round. O(blocks).
  [[nodiscard]] std::optional<std::uint32_t> next_block(std::uint32_t speed_class,
                                                        BlockMask allowed) const;
  // Lists the items of the class that need the block and are in no round, in ascending order.
  // O(items of the class).
  void waiting_for(std::uint32_t speed_class, std::uint32_t block, std::vector<ItemId>& out) const;

  // A round begins. REQUIRES: the members need the block and are in no round.
  void start(std::uint32_t speed_class, std::uint32_t block, std::span<const ItemId> members);
  // The round has ended: its members do not need the block any more. O(members).
  void finish(std::uint32_t block, std::span<const ItemId> members);

  [[nodiscard]] const Item& item(ItemId id) const { return items_[id.value]; }
  // Returns the workers of these items in ascending order. O(items log items).
  [[nodiscard]] std::vector<WorkerId> workers_of(std::span<const ItemId> items) const;
  [[nodiscard]] std::span<const ItemId> items(std::uint32_t speed_class) const {
    return classes_[speed_class].items;
  }
  [[nodiscard]] std::size_t size() const { return items_.size() - free_.size(); }

 private:
  struct Class {
    std::vector<ItemId> items;  // Sorted in ascending order.
    // For each block, the number of items that need it.
    std::array<std::uint32_t, kBlocksMax> wanted{};
    std::uint32_t last = kBlocksMax - 1;  // The block of the last round.
  };
  void count(const Item& item, BlockMask blocks, int change);

  std::uint32_t blocks_;
  std::vector<Item> items_;   // Items by id.
  std::vector<ItemId> free_;  // Ids to reuse, the last removed first.
  std::vector<Class> classes_;
};

}  // namespace surety::fabric
