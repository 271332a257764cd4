#include "orchestrator/slurm/slurm_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace slurm_cluster_test {

using ::testing::HasSubstr;

TEST(SlurmCluster, EachNodeOfTheAllocationMayHaveAWorkerAndTheRestIsAsInTheJob) {
  job::Job job;
  job.cluster.workers_min = 4;
  job.cluster.listen = "10.0.0.1:7000";
  job.profile.workers = {1, 4};
  const auto cluster = cluster_in("42", 4, job);
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->local(), 4u);
  EXPECT_EQ(cluster->workers_min, 4u);
  EXPECT_EQ(cluster->listen, "10.0.0.1:7000");
}

TEST(SlurmCluster, TheNodesOfTheAllocationAreOfTheFirstType) {
  job::ClusterSpec cluster;
  cluster.nodes.front().name = "slurm";
  cluster.nodes.emplace_back().name = "other";
  EXPECT_EQ(allocation_type(cluster).name, "slurm");
}

TEST(SlurmCluster, AJobThatWantsMoreWorkersThanNodesIsRefusedWithTheLargerWish) {
  job::Job job;
  job.cluster.workers_min = 3;
  EXPECT_EQ(cluster_in("42", 2, job).error().message,
            "cluster.workers_min: found 3, expected at most 2, the number of nodes of allocation "
            "42");
  job.profile.workers = {4, 1};
  EXPECT_THAT(cluster_in("42", 2, job).error().message,
              HasSubstr("profile.workers: found 4, expected at most 2"));
}

TEST(SlurmCluster, TheAddressIsSoughtTowardsAnotherNodeIfThereIsOne) {
  EXPECT_EQ(node_to_reach({"w1", "w2", "w3"}, "w1"), "w2");
  EXPECT_EQ(node_to_reach({"w1", "w2"}, "login"), "w1");
  EXPECT_EQ(node_to_reach({"w1"}, "w1"), "w1");
}

TEST(SlurmCluster, TheAddressOfANodeIsThatOfSlurmOrElseItsName) {
  EXPECT_EQ(node_address("w1", "NodeName=w1 NodeAddr=10.0.0.7 NodeHostName=here\n"), "10.0.0.7");
  EXPECT_EQ(node_address("w1", "NodeName=w1 NodeAddr=10.0.0.7\n"), "10.0.0.7");
  EXPECT_EQ(node_address("w1", "NodeName=w1 NodeAddr=10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(node_address("w1", "NodeName=w1 Arch=x86_64\n"), "w1");
}

}  // namespace slurm_cluster_test
}  // namespace surety::orchestrator
