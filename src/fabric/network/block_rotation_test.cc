#include "fabric/network/block_rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"

namespace surety::fabric {
namespace block_rotation_test {

using ::testing::ElementsAre;

std::vector<ItemId> waiting(const BlockRotation& rotation, std::uint32_t block) {
  std::vector<ItemId> items;
  rotation.waiting_for(0, block, items);
  return items;
}

void run_round(BlockRotation& rotation, std::uint32_t block) {
  const auto members = waiting(rotation, block);
  rotation.start(0, block, members);
  rotation.finish(block, members);
}

TEST(BlockRotation, NewcomerJoinsAtTheNextBlockAndLeavesAfterAFullTurn) {
  BlockRotation rotation(3, 1);
  const ItemId first = rotation.add(WorkerId{7}, 0b111, 0);
  EXPECT_EQ(rotation.next_block(0, ~0ull), 0u);
  run_round(rotation, 0);
  const ItemId second = rotation.add(WorkerId{8}, 0b111, 0);
  // Two items need blocks 1 and 2; one needs block 0.
  EXPECT_EQ(rotation.next_block(0, ~0ull), 1u);
  run_round(rotation, 1);
  run_round(rotation, 2);
  EXPECT_EQ(rotation.item(first).need, 0u);
  EXPECT_EQ(rotation.item(second).need, 0b001u);
  EXPECT_EQ(rotation.next_block(0, ~0ull), 0u);
}

TEST(BlockRotation, AnItemInARoundWaitsForNoOtherBlock) {
  BlockRotation rotation(2, 1);
  const ItemId item = rotation.add(WorkerId{0}, 0b11, 0);
  rotation.start(0, 0, std::vector<ItemId>{item});
  EXPECT_TRUE(waiting(rotation, 0).empty());
  EXPECT_TRUE(waiting(rotation, 1).empty());
  rotation.finish(0, std::vector<ItemId>{item});
  EXPECT_TRUE(waiting(rotation, 0).empty());
  EXPECT_THAT(waiting(rotation, 1), ElementsAre(item));
}

TEST(BlockRotation, OnlyAllowedBlocksGoRound) {
  BlockRotation rotation(4, 1);
  rotation.add(WorkerId{0}, 0b1011, 0);
  EXPECT_EQ(rotation.next_block(0, 0b1100), 3u);
  EXPECT_EQ(rotation.next_block(0, 0b0100), std::nullopt);
}

// next_block() agrees with a full count of what items need, and it returns a block as long as an
// item of the class needs one.
TEST(BlockRotation, CountsWhatItsItemsNeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    BlockRotation rotation(5, 2);
    std::vector<ItemId> items;
    for (int step = 0; step < 200; ++step) {
      if (items.size() < 6) {
        items.push_back(rotation.add(WorkerId{0}, 1 + random.below(31),
                                     static_cast<std::uint32_t>(random.below(2))));
      }
      const std::size_t at = random.below(items.size());
      if (random.below(4) == 0) {
        rotation.set_class(items[at], static_cast<std::uint32_t>(random.below(2)));
      } else if (random.below(4) == 0) {
        rotation.remove(items[at]);
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (const auto block = rotation.next_block(0, ~0ull)) {
        for (std::uint32_t other = 0; other < 5; ++other) {
          ASSERT_GE(waiting(rotation, *block).size(), waiting(rotation, other).size());
        }
        run_round(rotation, *block);
      } else {
        for (const ItemId id : items) {
          ASSERT_TRUE(rotation.item(id).need == 0 || rotation.item(id).speed_class == 1);
        }
      }
    }
  }
}

}  // namespace block_rotation_test
}  // namespace surety::fabric
