#include "sim/cluster/fault_injector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/cluster/cluster_testing.h"

namespace surety::sim {
namespace fault_injector_test {

struct World {
  explicit World(SimOptions options = options_for_tests()) : cluster(std::move(options)) {
    cluster.start_two();
  }
  TestCluster cluster;
  FaultInjector faults{
      cluster.options,
      cluster.queue,
      cluster.trace,
      cluster.random,
      {cluster.network, cluster.rounds, cluster.pipes, cluster.checkpoints, cluster.journal,
       cluster.processes, cluster.connections, cluster.coordinator}};
  [[nodiscard]] bool has_line(const std::string& text) const {
    return std::ranges::any_of(cluster.trace.lines(),
                               [&](const Trace::Line& line) { return line.text == text; });
  }
  // Number of links that are cut, in one direction each.
  [[nodiscard]] std::size_t cuts() const {
    constexpr HostIndex kHosts = 16;  // More than there are.
    std::size_t count = 0;
    for (HostIndex from = 0; from < kHosts; ++from) {
      for (HostIndex to = 0; to < kHosts; ++to) {
        if (cluster.network.is_cut(from, to)) ++count;
      }
    }
    return count;
  }
};

TEST(FaultInjector, AFaultBefallsTheProcessOnItsMachineOrTheNextOne) {
  World world;
  world.faults.inject({.kind = FaultKind::kCrash, .target = 2});
  EXPECT_FALSE(world.cluster.processes.at(2).runs());
  world.faults.inject({.kind = FaultKind::kCrash, .target = 2});
  EXPECT_FALSE(world.cluster.processes.at(1).runs());
  world.faults.inject({.kind = FaultKind::kCrash, .target = 2});  // No process is left.
  EXPECT_EQ(world.cluster.ends.size(), 2u);
  EXPECT_EQ(world.faults.faults(), 3u);
}

TEST(FaultInjector, ACutEndsByItself) {
  World world;
  world.faults.inject({.kind = FaultKind::kCut, .for_s = 3, .target = 1, .other = 2});
  EXPECT_TRUE(world.cluster.network.is_cut(1, 2));
  EXPECT_TRUE(world.cluster.network.is_cut(2, 1));
  world.cluster.run_until(8.1);
  EXPECT_EQ(world.cuts(), 0u);
  world.faults.inject({.kind = FaultKind::kCutOneWay, .for_s = 3, .target = 1, .other = 0});
  EXPECT_TRUE(world.cluster.network.is_cut(0, 1));
  EXPECT_FALSE(world.cluster.network.is_cut(1, 0));
}

TEST(FaultInjector, ARackThatIsCutOffReachesNobodyElseAndNoLinkWithinItIsCut) {
  World world;
  world.faults.inject({.kind = FaultKind::kRackCut, .for_s = 3, .target = 1});
  for (const HostIndex inside : {1u, 3u}) {
    for (const HostIndex outside : {0u, 2u, 4u}) {
      EXPECT_TRUE(world.cluster.network.is_cut(inside, outside));
      EXPECT_TRUE(world.cluster.network.is_cut(outside, inside));
    }
  }
  EXPECT_EQ(world.cuts(), 12u);
}

TEST(FaultInjector, AFullDiskTakesNeitherRecordsNorCheckpointsUntilItEnds) {
  World world;
  const proto::JournalRecord record;
  world.faults.inject({.kind = FaultKind::kDiskFull, .for_s = 3});
  EXPECT_FALSE(world.cluster.journal.append(record).has_value());
  EXPECT_FALSE(world.cluster.checkpoints.write("model", learn::Model{}).has_value());
  world.cluster.run_until(8.1);
  EXPECT_TRUE(world.cluster.journal.append(record).has_value());
  EXPECT_TRUE(world.cluster.checkpoints.write("model", learn::Model{}).has_value());
}

TEST(FaultInjector, AfterHealingNoFaultIsLeft) {
  World world;
  world.faults.inject({.kind = FaultKind::kCut, .for_s = 99, .target = 1, .other = 0});
  world.faults.inject({.kind = FaultKind::kDiskFull, .for_s = 99});
  world.faults.inject({.kind = FaultKind::kStall, .for_s = 99, .target = 1});
  world.cluster.network.conditions().loss = 0.5;
  world.faults.heal();
  EXPECT_EQ(world.cuts(), 0u);
  EXPECT_EQ(world.cluster.network.conditions().loss, 0);
  EXPECT_TRUE(world.cluster.journal.append({}).has_value());
  // The process receives messages again.
  world.cluster.connections.close(WorkerId{1});
  world.cluster.connections.close(WorkerId{2});
  world.cluster.run_until(8);
  EXPECT_EQ(world.cluster.last_worker, 4u);
}

TEST(FaultInjector, ACoordinatorThatIsDownDoesNotCrash) {
  World world;
  const std::size_t lines = world.cluster.trace.lines().size();
  world.faults.inject({.kind = FaultKind::kCoordinatorCrash});
  EXPECT_EQ(world.cluster.trace.lines().size(), lines);
}

TEST(FaultInjector, ATriggerWaitsForItsLineAndForTheTriggerBeforeIt) {
  SimOptions options = options_for_tests();
  options.triggers = {{"first", 1, {{.kind = FaultKind::kJoin}}},
                      {"second", 0, {{.kind = FaultKind::kJoin}, {.kind = FaultKind::kJoin}}}};
  World world(options);
  for (const char* line : {"second", "the first", "first line", "first line"}) {
    world.faults.on_line(line);
  }
  world.cluster.run_until(5.9);
  EXPECT_EQ(world.faults.faults(), 0u);
  world.cluster.run_until(6.1);
  EXPECT_EQ(world.faults.faults(), 1u);
  world.faults.on_line("second");
  world.cluster.run_until(6.2);
  EXPECT_EQ(world.faults.faults(), 3u);
  world.faults.on_line("third");
}

TEST(FaultInjector, AConnectionThatBreaksIsMadeAgain) {
  World world;
  const CoordinatorLink& link = world.cluster.processes.at(1).link();
  const WorkerId before = link.worker().value();
  world.faults.inject({.kind = FaultKind::kLinkBreak, .target = 1, .other = 0});
  EXPECT_TRUE(
      world.has_line(fmt::format("! worker {} loses its connection to the coordinator", before)));
  EXPECT_EQ(link.connection(), std::nullopt);
  world.cluster.run_until(8);
  EXPECT_EQ(link.worker(), WorkerId{3});
}

}  // namespace fault_injector_test
}  // namespace surety::sim
