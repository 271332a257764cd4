#include "fabric/scheduler/update_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace update_queue_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRate = 100;

SchedulerOptions options(std::optional<std::uint64_t> staleness_max = {}) {
  return {.blocks = 2,
          .block_bytes = 1e-6,  // A transfer takes almost no time.
          .owners = {{WorkerId{0}, 1}},
          .staleness_max = staleness_max};
}

// Workers 0 to 3, two blocks.
class Updates {
 public:
  explicit Updates(const SchedulerOptions& options)
      : cluster({}, equal_ports(4, {kRate, kRate})),
        versions(2),
        queue(options, cluster, versions) {}
  bool add(std::uint32_t worker, std::uint64_t sequence, std::uint64_t read = 0) {
    const std::uint64_t versions_read[] = {read, read};
    return queue.add({WorkerId{worker}, sequence}, versions_read);
  }
  [[nodiscard]] std::vector<ItemId> waiting(std::uint32_t block) const {
    std::vector<ItemId> items;
    queue.rotation().waiting_for(0, block, items);
    return items;
  }
  // Commits a round of all items that wait for the block.
  void commit(std::uint32_t block) {
    const auto items = waiting(block);
    queue.start(0, block, items);
    versions.commit(now_, block, items.size());
    queue.end(block, items, actions);
  }
  // Commits this many updates, which belong to no worker, to both blocks, long ago.
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

TEST(UpdateQueue, AWorkerHasOneUpdateAtATime) {
  Updates updates(options());
  EXPECT_TRUE(updates.add(1, 5));
  EXPECT_FALSE(updates.add(1, 6));
  updates.commit(0);
  updates.commit(1);
  ASSERT_THAT(updates.actions, SizeIs(1));
  EXPECT_EQ(std::get<UpdateDone>(updates.actions[0]).update.number, 5u);
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
  EXPECT_EQ(done.update.worker, WorkerId{1});
  EXPECT_THAT(updates.queue.take_finished(), ElementsAre(WorkerId{1}));
  EXPECT_THAT(updates.queue.take_finished(), IsEmpty());
  EXPECT_EQ(updates.queue.rotation().size(), 0u);
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
  EXPECT_EQ(std::get<UpdateDone>(updates.actions[1]).update.number, 1u);
  EXPECT_THAT(updates.queue.take_finished(), ElementsAre(WorkerId{1}));

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

// Versions are counted in whole numbers: a mean of ten that is computed in parts is less than one.
TEST(UpdateQueue, AnUpdateThatReadTheNewestModelIsNotStaleWithAnyNumberOfBlocks) {
  for (std::uint32_t blocks = 1; blocks <= 32; ++blocks) {
    SchedulerOptions fresh = options(0);
    fresh.blocks = blocks;
    Cluster cluster({}, equal_ports(2, {kRate, kRate}));
    BlockVersions versions(blocks);
    for (std::uint32_t block = 0; block < blocks; ++block) versions.commit(Time{}, block, 1);
    versions.commit(Time(std::chrono::hours(1)), 0, 0);
    UpdateQueue queue(fresh, cluster, versions);
    ASSERT_TRUE(queue.add({WorkerId{1}, 1}, std::vector<std::uint64_t>(blocks, 1)));
    std::vector<Action> actions;
    queue.drop_stale(0, actions);
    EXPECT_THAT(actions, IsEmpty()) << blocks << " blocks";
  }
}

TEST(UpdateQueue, AnUpdateThatWasBegunIsNotDropped) {
  Updates updates(options(4));
  ASSERT_TRUE(updates.add(1, 1));
  updates.commit(0);
  updates.age(9);
  updates.queue.drop_stale(0, updates.actions);
  EXPECT_THAT(updates.actions, IsEmpty());
}

}  // namespace update_queue_test
}  // namespace surety::fabric
