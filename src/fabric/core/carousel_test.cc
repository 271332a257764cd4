#include "fabric/core/carousel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"

namespace surety::fabric {
namespace carousel_test {

using ::testing::ElementsAre;

std::vector<ItemId> waiting(const Carousel& carousel, std::uint32_t block) {
  std::vector<ItemId> items;
  carousel.waiting_for(0, block, items);
  return items;
}

void go_round(Carousel& carousel, std::uint32_t block) {
  const auto members = waiting(carousel, block);
  carousel.start(0, block, members);
  carousel.finish(block, members, true);
}

TEST(Carousel, NewcomerJoinsAtTheNextBlockAndLeavesAfterAFullTurn) {
  Carousel carousel(3, 1);
  const ItemId first = carousel.add(HostId{7}, 0b111, 0);
  EXPECT_EQ(carousel.next_block(0, ~0ull), 0u);
  go_round(carousel, 0);
  const ItemId second = carousel.add(HostId{8}, 0b111, 0);
  // Two items need blocks 1 and 2; one needs block 0.
  EXPECT_EQ(carousel.next_block(0, ~0ull), 1u);
  go_round(carousel, 1);
  go_round(carousel, 2);
  EXPECT_EQ(carousel.item(first).need, 0u);
  EXPECT_EQ(carousel.item(second).need, 0b001u);
  EXPECT_EQ(carousel.next_block(0, ~0ull), 0u);
}

TEST(Carousel, AbortedBlockIsStillNeeded) {
  Carousel carousel(2, 1);
  const ItemId item = carousel.add(HostId{0}, 0b11, 0);
  carousel.start(0, 0, std::vector<ItemId>{item});
  EXPECT_TRUE(waiting(carousel, 0).empty());
  carousel.finish(0, std::vector<ItemId>{item}, false);
  EXPECT_THAT(waiting(carousel, 0), ElementsAre(item));
}

TEST(Carousel, OnlyAllowedBlocksGoRound) {
  Carousel carousel(4, 1);
  carousel.add(HostId{0}, 0b1011, 0);
  EXPECT_EQ(carousel.next_block(0, 0b1100), 3u);
  EXPECT_EQ(carousel.next_block(0, 0b0100), std::nullopt);
}

// next_block() agrees with a full count of what items need, and it returns a block as long as an
// item of the class needs one.
TEST(Carousel, CountsWhatItsItemsNeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Carousel carousel(5, 2);
    std::vector<ItemId> items;
    for (int step = 0; step < 200; ++step) {
      if (items.size() < 6) {
        items.push_back(carousel.add(HostId{0}, 1 + random.below(31),
                                     static_cast<std::uint32_t>(random.below(2))));
      }
      const std::size_t at = random.below(items.size());
      if (random.below(4) == 0) {
        carousel.set_class(items[at], static_cast<std::uint32_t>(random.below(2)));
      } else if (random.below(4) == 0) {
        carousel.remove(items[at]);
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (const auto block = carousel.next_block(0, ~0ull)) {
        for (std::uint32_t other = 0; other < 5; ++other) {
          ASSERT_GE(waiting(carousel, *block).size(), waiting(carousel, other).size());
        }
        go_round(carousel, *block);
      } else {
        for (const ItemId id : items) {
          ASSERT_TRUE(carousel.item(id).need == 0 || carousel.item(id).speed_class == 1);
        }
      }
    }
  }
}

}  // namespace carousel_test
}  // namespace surety::fabric
