#include "orchestrator/stages/plan_instance.h"

#include <gtest/gtest.h>

#include <functional>

namespace surety::orchestrator {
namespace plan_instance_test {

job::Job job_with_two_types() {
  job::Job job;
  job::NodeTypeSpec steady;
  steady.name = "on-demand";
  steady.local = 2;
  steady.price_per_s = 3;
  job::NodeTypeSpec spot;
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
  EXPECT_EQ(spot.count, 4u);  // One worker here, three from elsewhere.
  EXPECT_EQ(spot.speed_factor, 0.5);
  EXPECT_EQ(spot.preemptions_per_s, 0.01);
  EXPECT_EQ(spot.restart_s, 20);
  EXPECT_EQ(spot.start_s, 30);
  EXPECT_EQ(spot.memory_bytes, 1000u);
  EXPECT_EQ(instance.memory_bytes.at("full"), 500u);
}

TEST(PlanInstance, WorkersThatJoinedUnannouncedCountForTheFirstType) {
  job::Job job;  // Any worker may join, so the number is not known.
  EXPECT_EQ(plan_instance(job, {}, 5, 100).nodes.front().count, 5u);
  EXPECT_EQ(plan_instance(job_with_two_types(), {}, 1, 100).nodes.front().count, 2u);
}

TEST(PlanInstance, APlanThatNamesWhatTheJobHasNotIsRefused) {
  job::Job job = job_with_two_types();
  job.data = {{.name = "digits", .source = "digits://", .site = {}}};
  plan::Plan plan;
  plan.data = {"digits"};
  plan.blocks = {{.version = "full", .passes = 1, .nodes = 2, .counts = {{"spot", 2}}}};
  EXPECT_TRUE(check_plan_names(plan, job));
  const auto error_with = [&](const std::function<void(plan::Plan&)>& change) {
    plan::Plan changed = plan;
    change(changed);
    const auto checked = check_plan_names(changed, job);
    return checked ? "no error" : checked.error().message;
  };
  EXPECT_EQ(error_with([](plan::Plan& p) { p.blocks[0].counts[0].type = "edge"; }),
            "blocks[0].counts[0].type: found edge, expected one of the job's node types: "
            "on-demand, spot");
  EXPECT_EQ(error_with([](plan::Plan& p) { p.data.push_back("letters"); }),
            "data[1]: found letters, expected one of the job's data sets: digits");
  EXPECT_EQ(error_with([](plan::Plan& p) { p.data.push_back("digits"); }),
            "data[0]: found digits twice, expected it once");
  EXPECT_EQ(error_with([](plan::Plan& p) { p.blocks[0].version = "prune:0.5"; }),
            "blocks[0].version: found prune:0.5, expected one of the job's versions: full");
}

}  // namespace plan_instance_test
}  // namespace surety::orchestrator
