#include "worker/state/chunk_store.h"

#include <gmock/gmock.h>

#include <utility>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace chunk_store_test {

using ::testing::ElementsAre;

// Holdings of chunks 1 to `count`, each with one sample and a state.
ChunkStore holding(std::uint32_t count) {
  ChunkStore store;
  for (std::uint32_t id = 1; id <= count; ++id) {
    data::Chunk chunk;
    chunk.range = {.id = ChunkId{id}};
    store.add(std::move(chunk));
    store.set_state(ChunkId{id}, {0.5f});
  }
  return store;
}

std::vector<std::uint32_t> ids(const ChunkStore& store) {
  std::vector<std::uint32_t> ids;
  for (const ChunkId id : store.ids()) ids.push_back(id.value);
  return ids;
}

// An order that keeps chunk 1, sends chunk 2 on, and grants 4 and 3.
proto::Prepare order() {
  proto::Prepare order;
  for (const std::uint32_t id : {1u, 3u, 4u}) order.add_owned(id);
  order.add_hand_overs()->set_chunk(2);
  for (const std::uint32_t id : {4u, 3u}) order.add_grants()->mutable_range()->set_id(id);
  return order;
}

TEST(ChunkStore, WhatAnOrderNeitherLeavesNorSendsOnIsFreed) {
  ChunkStore store = holding(6);
  store.free(order());
  EXPECT_THAT(ids(store), ElementsAre(1, 2, 3, 4));
}

TEST(ChunkStore, OnlyWhatIsNotHereIsMissing) {
  const auto missing = [](std::uint32_t held) {
    std::vector<std::uint32_t> ids;
    for (const auto& range : holding(held).missing(order())) ids.push_back(range.id.value);
    return ids;
  };
  EXPECT_THAT(missing(2), ElementsAre(3, 4));
  EXPECT_THAT(missing(3), ElementsAre(4));
}

TEST(ChunkStore, WhatWasHandedOverIsHereUntilItIsFreedAndNotOursMeanwhile) {
  ChunkStore store = holding(2);
  store.hand_over(order());
  EXPECT_THAT(ids(store), ElementsAre(1, 2));
  EXPECT_FALSE(store.own().contains(ChunkId{2}));
  store.take_back();
  EXPECT_TRUE(store.own().contains(ChunkId{2}));
  EXPECT_EQ(store.own().at(ChunkId{2}).state.size(), 1u);
  proto::Prepare next;
  next.add_owned(1);
  store.free(next);
  EXPECT_THAT(ids(store), ElementsAre(1));
}

TEST(ChunkStore, AnOrderHandsOverWhatIsHereAndOnce) {
  EXPECT_TRUE(holding(2).check(order()));
  const auto absent = holding(1).check(order());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message,
            "the command hands over chunk 2, which this worker does not hold; this is an error of "
            "the coordinator's program");
  proto::Prepare twice = order();
  twice.add_hand_overs()->set_chunk(2);
  const auto doubled = holding(2).check(twice);
  ASSERT_FALSE(doubled);
  EXPECT_EQ(doubled.error().message,
            "the command hands over chunk 2 twice; this is an error of the coordinator's program");
}

TEST(ChunkStore, WhatIsHereAlreadyIsNotReplaced) {
  ChunkStore store = holding(1);
  data::Chunk again;
  again.range = {.id = ChunkId{1}};
  store.add(std::move(again));
  EXPECT_EQ(store.own().at(ChunkId{1}).state.size(), 1u);
}

TEST(ChunkStore, ClearedOfAllItAlsoLacksWhatWasHandedOver) {
  ChunkStore store = holding(2);
  store.hand_over(order());
  store.clear();
  EXPECT_THAT(ids(store), ElementsAre());
}

TEST(ChunkStore, AnotherSessionFindsSamplesWithoutStates) {
  ChunkStore store = holding(2);
  store.forget_states();
  EXPECT_THAT(ids(store), ElementsAre(1, 2));
  EXPECT_TRUE(store.own().at(ChunkId{1}).state.empty());
}

}  // namespace chunk_store_test
}  // namespace surety::worker
