#include "sim/process/process_table.h"

#include <gtest/gtest.h>

#include "sim/cluster/cluster_testing.h"

namespace surety::sim {
namespace process_table_test {

TEST(ProcessTable, AProcessIsOnTheMachineWithTheFewestProcessesThatRun) {
  TestCluster cluster;
  const HostIndex workers = ProcessTable::hosts(cluster.options) - 1;
  for (HostIndex i = 1; i <= workers; ++i) {
    cluster.processes.start("", false);
    EXPECT_EQ(cluster.processes.at(i).host(), i);
  }
  cluster.processes.at(3).end("signal 9 (Killed)");
  cluster.processes.start("", false);
  EXPECT_EQ(cluster.processes.at(workers + 1).host(), 3u);
  EXPECT_EQ(cluster.processes.started(), workers + 1);
}

TEST(ProcessTable, AWorkerWithANewIdIsNotPresentUnderTheOldOne) {
  TestCluster cluster;
  cluster.connections.begin();
  cluster.processes.start("", false);
  cluster.run_until(5);
  EXPECT_FALSE(cluster.processes.member(WorkerId{1}).is_gone);
  cluster.connections.close(WorkerId{1});
  cluster.run_until(10);
  EXPECT_EQ(cluster.processes.of(WorkerId{2}), cluster.processes.of(WorkerId{1}));
  EXPECT_TRUE(cluster.processes.member(WorkerId{1}).is_gone);
  EXPECT_FALSE(cluster.processes.member(WorkerId{2}).is_gone);
  EXPECT_EQ(cluster.processes.of(WorkerId{3}), nullptr);
}

TEST(ProcessTable, AVanishedWorkerCountsAsReachableAndACrashedOneDoesNot) {
  TestCluster cluster;
  cluster.start_two();
  cluster.processes.of(WorkerId{1})->end("gone", true);
  cluster.processes.of(WorkerId{2})->end("signal 9 (Killed)");
  EXPECT_TRUE(cluster.processes.member(WorkerId{1}).is_silent);
  EXPECT_TRUE(cluster.processes.reach(WorkerId{1}).has_value());
  EXPECT_EQ(cluster.processes.reach(WorkerId{2}).error().message, "worker 2 cannot be reached");
  EXPECT_FALSE(cluster.processes.reach(WorkerId{3}).has_value());
}

TEST(ProcessTable, LocalProcessesAreThoseThatRunAndWereStartedByACoordinator) {
  TestCluster cluster;
  for (const bool by_itself : {false, true, false, false}) cluster.processes.start("", by_itself);
  cluster.processes.at(1).end("signal 9 (Killed)");
  const auto started = cluster.processes.started_by_coordinators();
  ASSERT_EQ(started.size(), 1u);
  EXPECT_EQ(started[0].type, "local");
  EXPECT_EQ(started[0].count, 2u);
}

}  // namespace process_table_test
}  // namespace surety::sim
