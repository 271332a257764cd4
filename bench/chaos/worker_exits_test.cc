#include "worker_exits.h"

#include <gtest/gtest.h>

#include "lasting_faults.h"

namespace surety::bench {
namespace worker_exits_test {

Time at(double time_s) { return Time{from_seconds(time_s)}; }

struct World {
  std::set<pid_t> without_environment;
  bool is_over = false;
  WorkerExits exits{{.exists = [this](pid_t pid) { return without_environment.contains(pid); },
                     .is_over = [this] { return is_over; },
                     .last_lines = [] { return std::string("the last lines"); }}};
};

TEST(WorkerExits, AWorkerThatIsMissingHasEndedOnce) {
  World world;
  world.exits.update({1, 2}, at(0));
  world.exits.update({2}, at(50));
  world.exits.update({2, 3}, at(60));
  const auto found = world.exits.unexpected({1, 2});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 1);
  EXPECT_EQ(found[0].at, at(50));
  EXPECT_EQ(found[0].logs, "the last lines");
  EXPECT_TRUE(world.exits.unexpected({2}).empty());  // Process 1 had never joined.
}

TEST(WorkerExits, AKilledWorkerIsExpectedToEndAndOnlyOnce) {
  World world;
  world.exits.update({1}, at(0));
  world.exits.expect(1);
  world.exits.update({}, at(1));
  EXPECT_TRUE(world.exits.unexpected({1}).empty());
  world.exits.update({1}, at(2));  // Another process with the same number.
  world.exits.update({}, at(3));
  EXPECT_EQ(world.exits.unexpected({1}).size(), 1u);
}

TEST(WorkerExits, AProcessThatStillExistsHasNotEnded) {
  World world;
  world.exits.update({1}, at(0));
  world.without_environment = {1};
  world.exits.update({}, at(1));
  EXPECT_TRUE(world.exits.unexpected({1}).empty());
  world.without_environment.clear();
  world.exits.update({}, at(2));
  EXPECT_EQ(world.exits.unexpected({1}).size(), 1u);
}

TEST(WorkerExits, WorkersEndWithTheRunAndAboutTheTimeOfABye) {
  World world;
  world.exits.update({1, 2, 3}, at(0));
  world.exits.update({2, 3}, at(20));
  world.exits.on_bye(at(29));
  world.exits.update({3}, at(40));
  world.is_over = true;
  world.exits.update({}, at(90));
  const auto found = world.exits.unexpected({1, 2, 3});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 2);  // More than ten seconds after the Bye.
}

TEST(LastingFaults, EachIsUndoneOnceWhenItIsOverInTheOrderOfTheirBeginnings) {
  LastingFaults faults;
  faults.add({.until = at(3), .kind = FaultKind::kStopWorker, .pid = 1});
  faults.add({.until = at(9), .kind = FaultKind::kFillDisk});
  faults.add({.until = at(2), .kind = FaultKind::kStopWorker, .pid = 2});
  EXPECT_TRUE(faults.take_over_by(at(1)).empty());
  const auto over = faults.take_over_by(at(3));
  ASSERT_EQ(over.size(), 2u);
  EXPECT_EQ(over[0].pid, 1);
  EXPECT_EQ(over[1].pid, 2);
  EXPECT_TRUE(faults.take_over_by(at(3)).empty());
}

TEST(LastingFaults, OneLastsUntilItIsTaken) {
  LastingFaults faults;
  faults.add({.until = at(9), .kind = FaultKind::kFillDisk});
  EXPECT_TRUE(faults.lasts(FaultKind::kFillDisk));
  EXPECT_FALSE(faults.lasts(FaultKind::kCutWorker));
  EXPECT_EQ(faults.take_all().size(), 1u);
  EXPECT_FALSE(faults.lasts(FaultKind::kFillDisk));
}

}  // namespace worker_exits_test
}  // namespace surety::bench
