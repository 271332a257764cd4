#include "learn/order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace surety::learn {
namespace order_test {

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

TEST(BucketOrder, VisitsEverySampleOnceInRunsOfSixteen) {
  const OrderKey key{.seed = 3, .pass = 2, .chunk = ChunkId{5}};
  const auto order = bucket_order(key, 100);
  ASSERT_EQ(order.size(), 100u);
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[i], i);
  int breaks = 0;
  for (std::size_t i = 1; i < 100; ++i) breaks += order[i] != order[i - 1] + 1 ? 1 : 0;
  EXPECT_LE(breaks, 6);  // There are seven buckets; the last one has four samples.
  EXPECT_GE(breaks, 3);
  EXPECT_TRUE(bucket_order(key, 0).empty());
}

TEST(SampleOrder, EachPartOfTheKeyChangesIt) {
  const OrderKey key{.seed = 3, .pass = 1, .chunk = ChunkId{4}};
  const auto order = sample_order(key, 100);
  EXPECT_NE(order, sample_order({.seed = 4, .pass = 1, .chunk = ChunkId{4}}, 100));
  EXPECT_NE(order, sample_order({.seed = 3, .pass = 2, .chunk = ChunkId{4}}, 100));
  EXPECT_NE(order, sample_order({.seed = 3, .pass = 1, .chunk = ChunkId{5}}, 100));
  // Pass and chunk are not interchangeable: if they are swapped, the order is another one.
  EXPECT_NE(sample_order({.seed = 3, .pass = 1, .chunk = ChunkId{2}}, 100),
            sample_order({.seed = 3, .pass = 2, .chunk = ChunkId{1}}, 100));
}

}  // namespace order_test
}  // namespace surety::learn
