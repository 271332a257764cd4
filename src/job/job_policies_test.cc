// The elastic policies in a job file.
#include <gmock/gmock.h>

#include "job/job_file.h"

namespace surety::job {
namespace job_policies_test {

using ::testing::HasSubstr;

Result<Job> read(const std::string& model, const std::string& train) {
  return parse_job("job.yaml",
                   fmt::format("promise: {{target: 0.5, deadline: 20min}}\n"
                               "data: \"digits://?samples=8000\"\nmodel: {{zoo: {}}}\n{}",
                               model, train),
                   {}, 0);
}

TEST(JobPolicies, ShufflingIsOnWithCocoaUnlessItIsSwitchedOff) {
  EXPECT_FALSE(read("lenet5", "")->train.policies.shuffle);
  EXPECT_TRUE(read("svm", "")->train.policies.shuffle);
  EXPECT_FALSE(read("svm", "train: {policies: {shuffle: off}}\n")->train.policies.shuffle);
  EXPECT_TRUE(read("lenet5", "train: {policies: {shuffle: on}}\n")->train.policies.shuffle);
}

TEST(JobPolicies, ScaleInFollowsADualityGapAndNothingElse) {
  EXPECT_FALSE(read("svm", "")->train.policies.scale_in);
  const auto of_gap = [](const std::string& value) {
    return parse_job("job.yaml",
                     "promise: {metric: duality_gap, target: 0.01, deadline: 20min}\n"
                     "data: \"synthetic://?samples=800\"\nmodel: {zoo: svm}\n" +
                         value,
                     {}, 0);
  };
  EXPECT_TRUE(of_gap("")->train.policies.scale_in);
  EXPECT_FALSE(of_gap("train: {policies: {scale_in: off}}\n")->train.policies.scale_in);
  EXPECT_THAT(read("svm", "train: {policies: {scale_in: on}}\n").error().message,
              HasSubstr("promise.metric: duality_gap"));
}

TEST(JobPolicies, UpdatesOfCocoaAreAddedAsTheJobSays) {
  EXPECT_EQ(read("svm", "")->train.aggregation, Aggregation::kAccelerated);
  EXPECT_EQ(read("svm", "train: {aggregation: safe}\n")->train.aggregation, Aggregation::kSafe);
  EXPECT_THAT(read("svm", "train: {aggregation: bold}\n").error().message,
              HasSubstr("safe or accelerated"));
  EXPECT_THAT(read("lenet5", "train: {aggregation: safe}\n").error().message,
              HasSubstr("nothing with local-sgd"));
}

TEST(JobPolicies, TasksOfANodeAreForCocoa) {
  EXPECT_EQ(read("svm", "")->train.tasks_per_node, 1u);
  EXPECT_EQ(read("svm", "train: {tasks_per_node: 8}\n")->train.tasks_per_node, 8u);
  EXPECT_FALSE(read("svm", "train: {tasks_per_node: 0}\n"));
  EXPECT_THAT(read("lenet5", "train: {tasks_per_node: 8}\n").error().message,
              HasSubstr("nothing with local-sgd"));
}

TEST(JobPolicies, MicroTasksAreForCocoaAndHaveNoOtherSize) {
  EXPECT_EQ(read("svm", "")->train.micro_tasks, std::nullopt);
  EXPECT_EQ(read("svm", "train: {micro_tasks: 16}\n")->train.micro_tasks, 16u);
  EXPECT_THAT(read("lenet5", "train: {micro_tasks: 16}\n").error().message,
              HasSubstr("nothing with local-sgd"));
  for (const std::string other : {"tasks_per_node: 8", "chunk_bytes: 64KiB"}) {
    EXPECT_THAT(read("svm", "train: {micro_tasks: 16, " + other + "}\n").error().message,
                HasSubstr("nothing with train.micro_tasks"));
  }
}

TEST(JobPolicies, WhatAnotherNumberOfWorkersDoesIsForLocalSgdToSay) {
  using elastic::OnResize;
  EXPECT_EQ(read("lenet5", "")->train.on_resize, OnResize::kKeepBatch);
  EXPECT_EQ(read("lenet5", "train: {on_resize: scale_rate}\n")->train.on_resize,
            OnResize::kScaleRate);
  EXPECT_EQ(read("lenet5", "train: {on_resize: none}\n")->train.on_resize, OnResize::kNone);
  EXPECT_THAT(read("lenet5", "train: {on_resize: scale}\n").error().message,
              HasSubstr("keep_batch, scale_rate or none"));
  EXPECT_THAT(read("svm", "train: {on_resize: none}\n").error().message,
              HasSubstr("nothing with cocoa"));
}

TEST(JobPolicies, EachIsSwitchedOffByName) {
  const auto all = read("lenet5", "")->train.policies;
  EXPECT_TRUE(all.rebalance && all.cut_off);
  const auto some = read("lenet5", "train: {policies: {cut_off: off}}\n")->train.policies;
  EXPECT_TRUE(some.rebalance);
  EXPECT_FALSE(some.cut_off);
}

TEST(JobPolicies, AWrongNameOrValueIsRefusedWithWhatIsRight) {
  EXPECT_THAT(read("lenet5", "train: {policies: {rebalence: off}}\n").error().message,
              HasSubstr("rebalance"));
  EXPECT_THAT(read("lenet5", "train: {policies: {rebalance: never}}\n").error().message,
              HasSubstr("train.policies.rebalance"));
  EXPECT_THAT(read("lenet5", "train: {policies: off}\n").error().message,
              HasSubstr("train.policies"));
}

}  // namespace job_policies_test
}  // namespace surety::job
