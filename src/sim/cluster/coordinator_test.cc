#include "sim/cluster/coordinator.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/cluster/cluster_testing.h"

namespace surety::sim {
namespace coordinator_test {

bool has_line(const TestCluster& cluster, const std::string& text) {
  for (const Trace::Line& line : cluster.trace.lines()) {
    if (line.text.starts_with(text)) return true;
  }
  return false;
}

TEST(Coordinator, AfterACrashTheNextCoordinatorStartsWithTheDurableRecords) {
  TestCluster cluster;
  cluster.coordinator.begin_run();
  EXPECT_TRUE(cluster.coordinator.runs());
  cluster.coordinator.crash(0, "killed", Remaining::kStay);
  EXPECT_FALSE(cluster.coordinator.runs());
  cluster.run_until(cluster.options.restart_s - 0.1);
  EXPECT_FALSE(cluster.coordinator.runs());
  cluster.run_until(cluster.options.restart_s + 0.1);
  EXPECT_TRUE(cluster.coordinator.runs());
  EXPECT_EQ(cluster.coordinator.term(), 2u);
  EXPECT_EQ(cluster.coordinator.restarts(), 1u);
  EXPECT_TRUE(has_line(cluster, "the coordinator resumes after"));
  EXPECT_EQ(cluster.watch.violation(), std::nullopt);
}

TEST(Coordinator, WhileTheDiskIsFullItDoesNotStart) {
  TestCluster cluster;
  cluster.coordinator.begin_run();
  cluster.journal.set_full(true);
  cluster.coordinator.crash(0, "killed", Remaining::kStay);
  cluster.run_until(3 * cluster.options.restart_s);
  EXPECT_FALSE(cluster.coordinator.runs());
  cluster.journal.set_full(false);
  cluster.run_until(5 * cluster.options.restart_s);
  EXPECT_TRUE(cluster.coordinator.runs());
}

TEST(Coordinator, TheEndOfAProcessBeforeItsStartIsIgnored) {
  TestCluster cluster;
  cluster.coordinator.begin_run();
  cluster.processes.start("", false);
  const std::uint32_t term = cluster.coordinator.term();
  cluster.coordinator.crash(0, "killed", Remaining::kStay);
  cluster.run_until(cluster.options.restart_s + 0.1);
  cluster.processes.at(1).end("signal 9 (Killed)");
  cluster.coordinator.on_process_ended(1, "signal 9 (Killed)", term);
  EXPECT_FALSE(has_line(cluster, "worker process 1"));
  cluster.coordinator.on_process_ended(1, "signal 9 (Killed)", term + 1);
  EXPECT_TRUE(has_line(cluster, "worker process 1"));
}

}  // namespace coordinator_test
}  // namespace surety::sim
