#include "learn/order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace surety::learn {
namespace {

TEST(SampleOrder, VisitsEverySampleOnce) {
  for (const std::uint32_t count : {0u, 1u, 2u, 1000u}) {
    auto order = sample_order({.seed = 3, .pass = 1, .chunk = ChunkId{4}}, count);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(SampleOrder, IsTheSameForTheSameKey) {
  const OrderKey key{.seed = 3, .pass = 1, .chunk = ChunkId{4}};
  EXPECT_EQ(sample_order(key, 100), sample_order(key, 100));
}

TEST(SampleOrder, EachPartOfTheKeyChangesIt) {
  const OrderKey key{.seed = 3, .pass = 1, .chunk = ChunkId{4}};
  const auto order = sample_order(key, 100);
  EXPECT_NE(order, sample_order({.seed = 4, .pass = 1, .chunk = ChunkId{4}}, 100));
  EXPECT_NE(order, sample_order({.seed = 3, .pass = 2, .chunk = ChunkId{4}}, 100));
  EXPECT_NE(order, sample_order({.seed = 3, .pass = 1, .chunk = ChunkId{5}}, 100));
  // Pass and chunk are different things: swapping them is another order.
  EXPECT_NE(sample_order({.seed = 3, .pass = 1, .chunk = ChunkId{2}}, 100),
            sample_order({.seed = 3, .pass = 2, .chunk = ChunkId{1}}, 100));
}

}  // namespace
}  // namespace surety::learn
