#include "orchestrator/plan_instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace plan_instance_test {

using testing::HasSubstr;

Job job_with_two_types() {
  Job job;
  NodeTypeSpec steady;
  steady.name = "on-demand";
  steady.local = 2;
  steady.price_per_s = 3;
  NodeTypeSpec spot;
  spot.name = "spot";
  spot.local = 1;
  spot.join = 3;
  spot.speed = 0.5;
  spot.preemptions_per_s = 0.01;
  spot.restart_s = 20;
  spot.start_s = 30;
  spot.memory_bytes = 1000;
  job.cluster.nodes = {steady, spot};
  job.model.memory_bytes = {{"full", 500}};
  return job;
}

TEST(PlanInstance, EachNodeTypeOfTheJobIsOneOfThePlanner) {
  const plan::Instance instance = plan_instance(job_with_two_types(), {}, 2, 100);
  ASSERT_EQ(instance.nodes.size(), 2u);
  EXPECT_EQ(instance.nodes[0].name, "on-demand");
  EXPECT_EQ(instance.nodes[0].count, 2u);
  EXPECT_EQ(instance.nodes[0].price_per_s, 3);
  const plan::NodeType& spot = instance.nodes[1];
  EXPECT_EQ(spot.count, 4u);  // One here, three from others.
  EXPECT_EQ(spot.speed_factor, 0.5);
  EXPECT_EQ(spot.preemptions_per_s, 0.01);
  EXPECT_EQ(spot.restart_s, 20);
  EXPECT_EQ(spot.start_s, 30);
  EXPECT_EQ(spot.memory_bytes, 1000u);
  EXPECT_EQ(instance.memory_bytes.at("full"), 500u);
}

TEST(PlanInstance, WorkersThatJoinedUnannouncedCountForTheFirstType) {
  Job job;  // Anybody may join: nobody knows how many will.
  EXPECT_EQ(plan_instance(job, {}, 5, 100).nodes.front().count, 5u);
  EXPECT_EQ(plan_instance(job_with_two_types(), {}, 1, 100).nodes.front().count, 2u);
}

TEST(PlanInstance, APlanOnNodesThatTheJobHasNotIsRefused) {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 1, .nodes = 2, .counts = {{"spot", 2}}}};
  EXPECT_TRUE(check_plan_nodes(plan, job_with_two_types()));
  plan.blocks[0].counts[0].type = "edge";
  const auto refused = check_plan_nodes(plan, job_with_two_types());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("2 edge, but the job's node types are on-demand"));
}

}  // namespace plan_instance_test
}  // namespace surety::orchestrator
