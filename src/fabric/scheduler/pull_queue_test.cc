#include "fabric/scheduler/pull_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace pull_queue_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRate = 100;
constexpr WorkerId kWorker{1};

// Two workers, two blocks, two speed classes.
class Pulls : public ::testing::Test {
 protected:
  Pulls()
      : cluster({.classes = 2}, equal_ports(3, {kRate, kRate})),
        versions(2),
        queue(2, cluster, versions) {}
  // The items that wait for a block.
  [[nodiscard]] std::vector<ItemId> waiting(std::uint32_t block, std::uint32_t speed_class = 0) {
    std::vector<ItemId> items;
    queue.rotation().waiting_for(speed_class, block, items);
    return items;
  }
  void pull_block(std::uint32_t block) {
    const auto items = waiting(block);
    queue.start(0, block, items);
    queue.end(block, items, actions);
  }
  void pull_all() {
    queue.add(kWorker);
    for (const std::uint32_t block : {0u, 1u}) pull_block(block);
  }
  Cluster cluster;
  BlockVersions versions;
  PullQueue queue;
  std::vector<Action> actions;
};

TEST_F(Pulls, AModelIsReadyWhenAllOfItsBlocksAreThere) {
  EXPECT_FALSE(queue.is_pulling(kWorker));
  queue.add(kWorker);
  pull_block(0);
  EXPECT_THAT(actions, IsEmpty());
  EXPECT_TRUE(queue.is_pulling(kWorker));
  EXPECT_THAT(waiting(0), IsEmpty());
  pull_block(1);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(std::get<ModelReady>(actions[0]).worker, kWorker);
  EXPECT_FALSE(queue.is_pulling(kWorker));
  pull_all();
  EXPECT_THAT(actions, SizeIs(2));
}

TEST_F(Pulls, AModelHasTheVersionsOfWhenItsRoundsStarted) {
  queue.add(kWorker);
  versions.commit(Time{}, 0, 5);
  const auto items = waiting(0);
  queue.start(0, 0, items);
  versions.commit(Time{}, 0, 1);
  versions.commit(Time{}, 1, 2);
  queue.end(0, items, actions);
  EXPECT_THAT(queue.versions_of(kWorker, 1), ElementsAre(0, 0));  // It is not complete.
  pull_block(1);
  EXPECT_THAT(queue.versions_of(kWorker, 1), ElementsAre(5, 2));
}

TEST_F(Pulls, OnlyTheNewestModelsAreKept) {
  for (int i = 0; i < 5; ++i) {
    versions.commit(Time{}, 0, 1);
    pull_all();
  }
  EXPECT_THAT(queue.versions_of(kWorker, 0), ElementsAre(3, 0));  // The oldest that is kept.
  EXPECT_THAT(queue.versions_of(kWorker, 3), ElementsAre(3, 0));
  EXPECT_THAT(queue.versions_of(kWorker, 4), ElementsAre(4, 0));
  EXPECT_THAT(queue.versions_of(kWorker, 9), ElementsAre(5, 0));
  EXPECT_THAT(queue.versions_of(WorkerId{0}, 1), ElementsAre(0, 0));
  EXPECT_THAT(queue.versions_of(WorkerId{2}, 1), ElementsAre(0, 0));
}

TEST_F(Pulls, ItemsFollowTheSpeedOfTheirPortsUnlessTheyAreInARound) {
  queue.add(kWorker);
  queue.add(WorkerId{0});
  const auto items = waiting(0);
  queue.start(0, 0, std::vector<ItemId>{items[1]});
  for (int i = 1; i < 6; ++i) {
    const Time now = Time(std::chrono::milliseconds(100 * i));
    for (const WorkerId slow : {WorkerId{0}, kWorker}) {
      cluster.observe(now, slow, PortSide::kIn, kRate / 10);
    }
    cluster.refresh(now);
  }
  queue.follow_ports();
  EXPECT_THAT(waiting(0, 1), SizeIs(1));
  EXPECT_THAT(waiting(1, 0), IsEmpty());
  queue.end(0, std::vector<ItemId>{items[1]}, actions);
  EXPECT_THAT(waiting(1, 1), SizeIs(2));
}

}  // namespace pull_queue_test
}  // namespace surety::fabric
