#include "worker/state/learned_work.h"

#include <gmock/gmock.h>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace learned_work_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::Step order_of(std::uint64_t iteration, const std::vector<learn::WorkItem>& items) {
  proto::Step order;
  order.set_iteration(iteration);
  for (const learn::WorkItem& item : items) {
    proto::WorkItem& out = *order.add_items();
    out.set_chunk(item.chunk.value);
    out.set_first(item.first);
    out.set_count(item.count);
  }
  return order;
}

const std::vector<learn::WorkItem> kItems{{ChunkId{4}, 10, 6}, {ChunkId{2}, 0, 8}};

TEST(LearnedWork, IsOfTheSameWorkInTheSameIterationOnly) {
  const LearnedWork work = LearnedWork::begin(order_of(7, kItems));
  EXPECT_FALSE(work.is_begun());
  EXPECT_TRUE(work.is_of(order_of(7, kItems)));
  EXPECT_FALSE(work.is_of(order_of(8, kItems)));
  EXPECT_FALSE(work.is_of(order_of(7, {kItems[0]})));
  EXPECT_FALSE(work.is_of(order_of(7, {kItems[1], kItems[0]})));
}

TEST(LearnedWork, WithoutItsStepsIsOfNoUseToAnExchange) {
  LearnedWork work = LearnedWork::begin(order_of(7, kItems));
  proto::Step order = order_of(7, kItems);
  order.mutable_asynchronous();
  EXPECT_TRUE(work.is_of(order));
  work.result.samples = 2;
  EXPECT_FALSE(work.is_of(order));
  work.steps = 1;
  EXPECT_TRUE(work.is_of(order));
}

TEST(LearnedWork, WhatIsLeftBeginsWhereItEnded) {
  LearnedWork work = LearnedWork::begin(order_of(7, kItems));
  EXPECT_THAT(work.items_left(), ElementsAre(kItems[0], kItems[1]));
  work.result.samples = 2;
  EXPECT_TRUE(work.is_begun());
  EXPECT_THAT(work.items_left(), ElementsAre(learn::WorkItem{ChunkId{4}, 12, 4}, kItems[1]));
  work.result.samples = 9;
  EXPECT_THAT(work.items_left(), ElementsAre(learn::WorkItem{ChunkId{2}, 3, 5}));
  work.result.samples = 14;
  EXPECT_THAT(work.items_left(), IsEmpty());
}

TEST(LearnedWork, ItsChangeIsAddedOnce) {
  LearnedWork work = LearnedWork::begin(order_of(7, kItems));
  std::vector<float> model{1, 2};
  work.add_to(model);
  EXPECT_THAT(model, ElementsAre(1, 2));
  work.change = {10, 20};
  work.add_to(model);
  EXPECT_THAT(model, ElementsAre(11, 22));
}

}  // namespace learned_work_test
}  // namespace surety::worker
