// A job in a Slurm allocation: its job file, and nodes that are added and lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job_file.h"
#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_slurm_test {

using testing::Contains;
using testing::HasSubstr;
using Counts = std::vector<plan::NodeCount>;

Result<job::Job> read(const std::string& cluster) {
  return job::parse_job("job.yaml",
                        "promise: {target: 0.3, deadline: 1h}\ndata: \"digits://\"\n"
                        "model: {zoo: lenet5}\ncluster: " +
                            cluster,
                        {}, 0);
}

TEST(JobSlurm, TheFileLeavesNodesAndAddressToTheAllocation) {
  const job::Job job = read("{slurm: {notice: 1min}, price: 3.6/h}").value();
  ASSERT_TRUE(job.cluster.slurm);
  EXPECT_EQ(job.cluster.slurm->poll_interval_s, 10);
  EXPECT_EQ(job.cluster.slurm->notice_s, 60);
  ASSERT_EQ(job.cluster.nodes.size(), 1u);
  EXPECT_EQ(job.cluster.nodes[0].name, "slurm");
  EXPECT_EQ(job.cluster.nodes[0].local, 0u);
  EXPECT_DOUBLE_EQ(job.cluster.nodes[0].price_per_s, 0.001);
  EXPECT_EQ(job.cluster.listen, std::nullopt);
  EXPECT_EQ(read("{slurm: {}, listen: \"h:1\"}").value().cluster.listen, "h:1");
  EXPECT_FALSE(read("{local: 2}").value().cluster.slurm);
}

TEST(JobSlurm, WhatMakesNoSenseBesideItIsRefused) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"{slurm: {}, local: 2}", "cluster.local: found 2, expected nothing beside cluster.slurm"},
      {"{slurm: {}, nodes: [{name: a, local: 1, price: 1/h}]}", "expected nothing beside"},
      {"{slurm: yes}", "cluster.slurm: found yes, expected a mapping"},
      {"{slurm: {poll: 0s}}", "cluster.slurm.poll: found 0s, expected a duration above 0"},
      {"{slurm: {notice: 5}}", "cluster.slurm.notice: found 5, expected a duration"},
      {"{slurm: {nodes: 5}}", "cluster.slurm"}};
  for (const auto& [cluster, message] : refused) {
    const auto job = read(cluster);
    ASSERT_FALSE(job) << cluster;
    EXPECT_THAT(job.error().message, HasSubstr(message));
  }
}

// Two nodes, and a plan for `nodes` of them, or for all.
FakeCluster training(std::optional<std::uint32_t> nodes) {
  JobConfig config = small_config(0);
  job::NodeTypeSpec type;
  type.name = "slurm";
  type.local = 2;
  config.job.cluster.nodes = {type};
  config.mode = RunMode::kTrain;
  config.plan = hand_plan(nodes, 0.01);
  if (nodes) config.plan->blocks[0].counts = {{"slurm", *nodes}};
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  return cluster;
}

TEST(JobSlurm, APlanForAllNodesTakesThoseThatAreNew) {
  FakeCluster cluster = training({});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}}));
  cluster.join("slurm");
  cluster.join("slurm");
  cluster.run_steps(5);
  cluster.feed(NodesAvailable{{"slurm", 3}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}}));
  EXPECT_THAT(cluster.log_lines(),
              Contains("1 worker of type slurm is started, because a node is available for it"));
  cluster.feed(NodesAvailable{{"slurm", 3}});
  EXPECT_EQ(cluster.orders().size(), 2u);  // The worker was requested and has not joined yet.
}

TEST(JobSlurm, ANodeWhoseWorkerMayCallAgainIsLeftToIt) {
  FakeCluster cluster = training({});
  cluster.join("slurm");
  cluster.join("slurm");
  cluster.run_steps(5);
  cluster.disconnect(WorkerId{2});
  cluster.feed(NodesAvailable{{"slurm", 3}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}}));
  cluster.pass_time(4);
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}, {"slurm", 1}}));
}

TEST(JobSlurm, NodesThatComeWhileTheFirstAreGatheredAreGatheredToo) {
  FakeCluster cluster = training({});
  cluster.feed(NodesAvailable{{"slurm", 3}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}}));
}

TEST(JobSlurm, APlanForFewerNodesLeavesTheOthersAlone) {
  FakeCluster cluster = training(2);
  cluster.join("slurm");
  cluster.join("slurm");
  cluster.run_steps(5);
  cluster.feed(NodesAvailable{{"slurm", 4}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}}));
}

TEST(JobSlurm, APlanForFewerNodesLeavesTheOthersAloneWhileTheFirstAreGathered) {
  FakeCluster cluster = training(2);
  cluster.feed(NodesAvailable{{"slurm", 4}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}}));
}

TEST(JobSlurm, ANodeThatGoesIsNotReplacedUntilAnotherComes) {
  FakeCluster cluster = training(2);
  cluster.join("slurm");
  cluster.join("slurm");
  cluster.run_steps(5);
  cluster.feed(NodesAvailable{{"slurm", 1}});
  cluster.kill(WorkerId{2});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}}));
  cluster.feed(NodesAvailable{{"slurm", 2}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}}));
}

TEST(JobSlurm, ARunWhoseNodesWereAllToldToStopIsInterruptedAndCanBeResumed) {
  FakeCluster cluster = training(2);
  cluster.join("slurm");
  cluster.join("slurm");
  cluster.run_steps(5);
  cluster.feed(NodesAvailable{{"slurm", 0}});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kInterrupted);
  EXPECT_TRUE(cluster.machine().state().pause);
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("has received a notice to stop")));
}

TEST(JobSlurm, NodesThatCouldNotBeStartedAreTriedAgainWhenTheAllocationChanges) {
  FakeCluster cluster = training(2);
  cluster.join("slurm");
  cluster.feed(WorkersNotStarted{{"slurm", 1}, "no node is free"});
  cluster.run_steps(5);
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}}));
  cluster.feed(NodesAvailable{{"slurm", 2}});
  EXPECT_EQ(cluster.orders(), (Counts{{"slurm", 2}, {"slurm", 1}}));
}

}  // namespace job_slurm_test
}  // namespace surety::orchestrator
