#include "sim/cluster/launcher.h"

#include <gtest/gtest.h>

#include "sim/cluster/cluster_testing.h"

namespace surety::sim {
namespace launcher_test {

using orchestrator::Origin;

struct World {
  TestCluster cluster;
  Launcher launcher{cluster.processes, cluster.trace, cluster.watch};
};

TEST(Launcher, ACoordinatorThatIsKilledLeavesItsProcessesToTheNextOne) {
  World world;
  EXPECT_TRUE(world.launcher.begin().empty());
  world.launcher.launch({"local", 2});
  world.launcher.end(Remaining::kStay);
  const auto left = world.launcher.begin();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].count, 2u);
}

TEST(Launcher, ACoordinatorThatEndsByItselfEndsItsProcessesButNotThoseThatJoined) {
  World world;
  world.launcher.launch({"local", 1});
  world.cluster.processes.start("", true);
  world.launcher.end(Remaining::kEnd);
  EXPECT_EQ(world.cluster.ends, std::vector<std::string>{"1: signal 15 (Terminated)"});
  EXPECT_TRUE(world.cluster.processes.at(2).runs());
}

TEST(Launcher, TheFirstHelloOfAProcessCountsAnewForEachCoordinator) {
  World world;
  world.launcher.launch({"local", 2});
  Connections& connections = world.cluster.connections;
  EXPECT_EQ(connections.workers().on_opened(10, {}, 1).origin, Origin::kStarted);
  EXPECT_EQ(connections.workers().on_opened(11, {}, 1).origin, Origin::kCallsAgain);
  connections.end();
  EXPECT_FALSE(world.launcher.end_of(1, "exit code 4", connections.workers()).joined);
  EXPECT_EQ(connections.workers().on_opened(12, {}, 1).origin, Origin::kStarted);
}

TEST(Launcher, TheEndOfAProcessReportsTheRemainingOnesAndWhetherItHadCalled) {
  World world;
  world.launcher.launch({"local", 2});
  world.cluster.processes.start("", true);
  orchestrator::WorkerConnections connections;
  static_cast<void>(connections.on_opened(10, {}, 2));
  connections.admit(10, WorkerId{5});
  world.cluster.processes.at(2).end("signal 9 (Killed)");
  const orchestrator::WorkerProcessEnded end =
      world.launcher.end_of(2, "signal 9 (Killed)", connections);
  EXPECT_EQ(end.what, "worker process 2: signal 9 (Killed)");
  EXPECT_EQ(end.running, 1u);
  EXPECT_EQ(end.type, "local");
  EXPECT_TRUE(end.joined);
  EXPECT_EQ(end.worker, WorkerId{5});
}

}  // namespace launcher_test
}  // namespace surety::sim
