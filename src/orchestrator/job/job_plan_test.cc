// Runs that profile and plan before they train.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_plan_test {

constexpr int kPlenty = 100000;

JobConfig config_that_may_drop_data() {
  JobConfig config = small_config(2);
  config.job.profile.data_fractions = {1, 0.5};
  config.job.profile.passes = 6;
  return config;
}

// The cluster of such a run, whose planner is at work.
FakeCluster planning_cluster() {
  FakeCluster cluster = running(config_that_may_drop_data());
  cluster.hold_plan();
  cluster.run_steps(kPlenty);
  return cluster;
}

TEST(JobPlan, WhileAPlanIsMadeWorkersComeAndGo) {
  FakeCluster cluster = planning_cluster();
  ASSERT_TRUE(cluster.awaits_plan());
  ASSERT_FALSE(cluster.ended());
  EXPECT_EQ(phases(cluster).back(), "plan");
  EXPECT_EQ(cluster.machine().view().waits_for->what, "the planner");
  // Workers that send heartbeats are not lost, however long the planner computes.
  cluster.pass_time(60);
  EXPECT_EQ(cluster.alive().size(), 2u);
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.join();
  cluster.make_plan();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  EXPECT_EQ(phases(cluster)[3], "train");
}

TEST(JobPlan, WithoutAPlanAtTheDeadlineThePromiseIsRefused) {
  FakeCluster cluster = planning_cluster();
  ASSERT_TRUE(cluster.awaits_plan());
  cluster.pass_time(config_that_may_drop_data().job.promise.deadline_s);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_THAT(cluster.ended()->reason, testing::HasSubstr("before a plan was made"));
  cluster.make_plan();  // It comes too late, and has no effect.
  EXPECT_FALSE(cluster.machine().state().record.plan);
}

TEST(JobPlan, ARunThatMayDropDataProfilesAndPlansFirst) {
  FakeCluster cluster = running(config_that_may_drop_data());
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  EXPECT_EQ(phases(cluster)[1], "profile");
  EXPECT_EQ(phases(cluster)[2], "plan");
}

}  // namespace job_plan_test
}  // namespace surety::orchestrator
