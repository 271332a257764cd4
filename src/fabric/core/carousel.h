// Which block goes round next, and who takes part: group commit without waiting for a group.
//
// An item is an update to push or a model to pull: a host and the blocks that it still needs. Each
// speed class works on one block at a time; whoever needs it when its round starts takes part. The
// block is the one that most wait for, so newcomers join at the next block, milliseconds later, and
// leave after a full turn.
//
// Not concerned with bandwidth, staleness or what became of a round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/types.h"

namespace surety::fabric {

using ItemId = Id<struct ItemTag>;  // Dense; reused after remove().

class Carousel {
 public:
  // REQUIRES: 1 <= blocks <= kBlocksMax, classes >= 1.
  Carousel(std::uint32_t blocks, std::uint32_t classes);

  struct Item {
    HostId host;
    BlockMask need = 0;
    std::uint32_t speed_class = 0;
    bool in_round = false;
    bool live = false;
  };

  // REQUIRES: need is not empty. O(blocks + items of the class).
  ItemId add(HostId host, BlockMask need, std::uint32_t speed_class);
  // REQUIRES for these three: the item is in no round. O(blocks + items of the class).
  void remove(ItemId id);
  void set_class(ItemId id, std::uint32_t speed_class);
  void drop(ItemId id, BlockMask blocks);

  // The block that most items of the class need, of those allowed; ties go to the next one after
  // the last that went round. Nothing where no item needs any. REQUIRES: the class has no round.
  // O(blocks).
  [[nodiscard]] std::optional<std::uint32_t> next_block(std::uint32_t speed_class,
                                                        BlockMask allowed) const;
  // The items of the class that need the block and are in no round, ascending. O(items of class).
  void waiting_for(std::uint32_t speed_class, std::uint32_t block, std::vector<ItemId>& out) const;

  // A round begins. REQUIRES: members need the block and are in no round.
  void start(std::uint32_t speed_class, std::uint32_t block, std::span<const ItemId> members);
  // It ended; done: nobody needs the block any more. O(members).
  void finish(std::uint32_t block, std::span<const ItemId> members, bool done);

  [[nodiscard]] const Item& item(ItemId id) const { return items_[id.value]; }
  [[nodiscard]] std::span<const ItemId> items(std::uint32_t speed_class) const {
    return classes_[speed_class].items;
  }
  [[nodiscard]] std::size_t size() const { return items_.size() - free_.size(); }

 private:
  struct Class {
    std::vector<ItemId> items;                       // Ascending.
    std::array<std::uint32_t, kBlocksMax> wanted{};  // Items that need the block.
    std::uint32_t last = kBlocksMax - 1;             // The block that went round last.
  };
  void count(const Item& item, BlockMask blocks, int change);

  std::uint32_t blocks_;
  std::vector<Item> items_;   // By id.
  std::vector<ItemId> free_;  // Ids to reuse, the last one removed first.
  std::vector<Class> classes_;
};

}  // namespace surety::fabric
