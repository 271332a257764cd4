#include "fabric/scheduler/update_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace update_queue_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRate = 100;

SchedulerOptions options(std::optional<std::uint64_t> staleness_max = {},
                         std::optional<std::uint32_t> consecutive_drops_max = 1,
                         std::optional<std::uint32_t> members_max = {}) {
  return {.blocks = 2,
          .block_bytes = 1e-6,  // A transfer takes almost no time.
          .owners = {{HostId{0}, 1}},
          .staleness_max = staleness_max,
          .consecutive_drops_max = consecutive_drops_max,
          .members_max = members_max};
}

// Workers 0 to 3, two blocks.
class Updates {
 public:
  explicit Updates(const SchedulerOptions& options)
      : cluster({}), versions(2), queue(options, cluster, versions) {
    for (std::uint32_t h = 0; h < 4; ++h) cluster.join(HostId{h}, {kRate, kRate}, true);
  }
  bool add(std::uint32_t worker, std::uint64_t sequence, std::uint64_t read = 0) {
    return queue.add({HostId{worker}, 1, sequence}, {read, read});
  }
  [[nodiscard]] std::vector<ItemId> waiting(std::uint32_t block) const {
    std::vector<ItemId> items;
    queue.rotation().waiting_for(0, block, items);
    return items;
  }
  [[nodiscard]] std::vector<HostId> hosts_of(const std::vector<ItemId>& items) const {
    return queue.rotation().hosts_of(items);
  }
  // Commits a round of all items that wait for the block.
  void commit(std::uint32_t block) {
    const auto items = waiting(block);
    queue.start(0, block, items);
    versions.commit(now_, block, items.size());
    queue.end(block, items, true, actions);
  }
  // Commits this many updates of nobody to both blocks, long ago.
  void age(std::uint64_t updates) {
    for (const std::uint32_t block : {0u, 1u}) versions.commit(now_, block, updates);
    now_ += std::chrono::hours(1);
    versions.commit(now_, 0, 0);
  }
  Cluster cluster;
  BlockVersions versions;
  UpdateQueue queue;
  std::vector<Action> actions;

 private:
  Time now_{};
};

TEST(UpdateQueue, AWorkerHasOneUpdateAtATimeAndEachComesInOnce) {
  Updates updates(options());
  EXPECT_TRUE(updates.add(1, 5));
  EXPECT_FALSE(updates.add(1, 6));
  EXPECT_EQ(updates.queue.update_of(HostId{1}).sequence, 5u);
  updates.commit(0);
  updates.commit(1);
  EXPECT_FALSE(updates.add(1, 5));
  EXPECT_TRUE(updates.add(1, 6));
}

TEST(UpdateQueue, AnUpdateEndsWithItsLastBlock) {
  Updates updates(options());
  ASSERT_TRUE(updates.add(1, 1));
  updates.commit(1);
  EXPECT_THAT(updates.actions, IsEmpty());
  EXPECT_THAT(updates.queue.take_finished(), IsEmpty());
  updates.commit(0);
  ASSERT_THAT(updates.actions, SizeIs(1));
  const auto done = std::get<UpdateDone>(updates.actions[0]);
  EXPECT_EQ(done.update.worker, HostId{1});
  EXPECT_EQ(done.committed, 3u);
  EXPECT_THAT(updates.queue.take_finished(), ElementsAre(HostId{1}));
  EXPECT_THAT(updates.queue.take_finished(), IsEmpty());
  EXPECT_EQ(updates.queue.rotation().size(), 0u);
}

TEST(UpdateQueue, ABlockOfARoundThatWasAbortedIsSentAgain) {
  Updates updates(options());
  ASSERT_TRUE(updates.add(1, 1));
  const auto items = updates.waiting(0);
  updates.queue.start(0, 0, items);
  updates.queue.end(0, items, false, updates.actions);
  EXPECT_EQ(updates.waiting(0), items);
}

TEST(UpdateQueue, AnUpdateIsDroppedIfItIsTooStaleAndNotTwiceInARow) {
  Updates updates(options(4));
  ASSERT_TRUE(updates.add(1, 1));
  updates.age(4);
  updates.queue.drop_stale(0, updates.actions);
  EXPECT_THAT(updates.actions, IsEmpty());
  updates.age(1);
  updates.queue.drop_stale(0, updates.actions);
  ASSERT_THAT(updates.actions, SizeIs(2));
  EXPECT_EQ(std::get<DropUpdate>(updates.actions[0]).blocks, 3u);
  EXPECT_EQ(std::get<DropUpdate>(updates.actions[0]).why.reason, Reason::kTooStale);
  EXPECT_EQ(std::get<DropUpdate>(updates.actions[0]).why.x, -1);
  EXPECT_EQ(std::get<UpdateDone>(updates.actions[1]).committed, 0u);
  EXPECT_THAT(updates.queue.take_finished(), ElementsAre(HostId{1}));

  updates.actions.clear();
  ASSERT_TRUE(updates.add(1, 2));
  updates.queue.drop_stale(0, updates.actions);
  EXPECT_THAT(updates.actions, IsEmpty());
  updates.commit(0);
  updates.commit(1);  // Now it may be dropped again.
  updates.actions.clear();
  ASSERT_TRUE(updates.add(1, 3));
  updates.queue.drop_stale(0, updates.actions);
  EXPECT_THAT(updates.actions, SizeIs(2));
}

TEST(UpdateQueue, AnUpdateThatWasBegunIsNotDropped) {
  Updates updates(options(4));
  ASSERT_TRUE(updates.add(1, 1));
  updates.commit(0);
  updates.age(9);
  updates.queue.drop_stale(0, updates.actions);
  EXPECT_THAT(updates.actions, IsEmpty());
}

TEST(UpdateQueue, WithoutAGuardTheBlocksBeyondTheBoundAreDropped) {
  Updates updates(options(4, std::nullopt));
  ASSERT_TRUE(updates.add(1, 1));
  ASSERT_TRUE(updates.add(2, 1, 1));
  updates.age(3);
  auto members = updates.waiting(0);
  updates.queue.select_members(0, 1, members, updates.actions);
  EXPECT_THAT(updates.hosts_of(members), ElementsAre(HostId{1}, HostId{2}));
  updates.queue.select_members(0, 2, members, updates.actions);  // One more is on its way.
  EXPECT_THAT(updates.hosts_of(members), ElementsAre(HostId{2}));
  ASSERT_THAT(updates.actions, SizeIs(1));
  const auto dropped = std::get<DropUpdate>(updates.actions[0]);
  EXPECT_EQ(dropped.update.worker, HostId{1});
  EXPECT_EQ(dropped.blocks, 1u);
  EXPECT_EQ(dropped.why.reason, Reason::kBlockTooStale);
  EXPECT_EQ(dropped.why.x, 5);
  updates.commit(1);
  EXPECT_EQ(std::get<UpdateDone>(updates.actions.back()).committed, 2u);
}

TEST(UpdateQueue, MembersAreLimitedInTheOrderOfTheirArrival) {
  Updates updates(options(std::nullopt, 1, 2));
  for (const std::uint32_t worker : {3, 1, 2}) ASSERT_TRUE(updates.add(worker, 1));
  auto members = updates.waiting(0);
  updates.queue.select_members(0, 0, members, updates.actions);
  EXPECT_THAT(updates.hosts_of(members), ElementsAre(HostId{1}, HostId{3}));
  EXPECT_THAT(updates.actions, IsEmpty());
}

TEST(UpdateQueue, MembersThatHaveNoPositionWithinTheBoundAreDropped) {
  Updates updates(options(1, 1, 2));
  for (const std::uint32_t worker : {1, 2, 3}) ASSERT_TRUE(updates.add(worker, 1));
  auto members = updates.waiting(0);
  updates.queue.select_members(0, 0, members, updates.actions);
  EXPECT_THAT(members, SizeIs(2));  // One commits before the other, and a third would be too late.
  ASSERT_THAT(updates.actions, SizeIs(2));
  EXPECT_EQ(std::get<DropUpdate>(updates.actions[0]).why.reason, Reason::kNoPosition);
  EXPECT_EQ(updates.queue.rotation().size(), 2u);
}

TEST(UpdateQueue, AWorkerThatIsLostLeavesNothing) {
  Updates updates(options());
  ASSERT_TRUE(updates.add(1, 1));
  updates.commit(0);
  const auto items = updates.waiting(1);
  updates.queue.start(0, 1, items);
  updates.queue.lose(HostId{1}, updates.actions);
  ASSERT_THAT(updates.actions, SizeIs(1));
  const auto dropped = std::get<DropUpdate>(updates.actions[0]);
  EXPECT_EQ(dropped.blocks, 2u);
  EXPECT_EQ(dropped.why.reason, Reason::kHostLost);
  updates.queue.lose(HostId{1}, updates.actions);
  EXPECT_THAT(updates.actions, SizeIs(1));

  ASSERT_TRUE(updates.add(1, 2));  // It has returned, and what ends now is not its new update.
  updates.queue.end(1, items, true, updates.actions);
  EXPECT_THAT(updates.actions, SizeIs(1));
  EXPECT_THAT(updates.queue.take_finished(), IsEmpty());
  EXPECT_THAT(updates.waiting(1), SizeIs(1));
}

}  // namespace update_queue_test
}  // namespace surety::fabric
