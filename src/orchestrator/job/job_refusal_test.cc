// Promises that a run refuses: what it says, and what it keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "certificate/record_text.h"
#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_refusal_test {

using ::testing::HasSubstr;

constexpr int kPlenty = 100000;

// The log contains the time line.
std::int64_t refusals(const certificate::RunRecord& record) {
  return std::ranges::count_if(record.timeline, [](const certificate::TimelineEvent& event) {
    return event.text.starts_with("the promise is refused");
  });
}

// A job whose promise is refused, after which training continues.
JobConfig hopeless_best_effort() {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.05;  // The loss never falls below 0.1.
  config.job.best_effort = true;
  config.job.train.passes_max = 30;
  config.job.promise.deadline_s = 12;
  return config;
}

// Each iteration takes `step_s`. Stops when the run ends, or its first pass.
void run_slowly(FakeCluster& cluster, double step_s) {
  for (int step = 0;
       step < 200 && !cluster.ended() && cluster.machine().state().record.measurements.size() == 0;
       ++step) {
    cluster.run_steps(1);
    if (cluster.machine().state().phase == RunPhase::kTrain) cluster.pass_time(step_s);
  }
}

TEST(JobRefusal, ATargetThatNothingReachesIsRefusedAndTheBestModelIsKept) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.05;  // The loss never falls below 0.1.
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kInfeasible);
  ASSERT_TRUE(record.certified);
  EXPECT_LT(record.certified->metric, 1.2);
  EXPECT_THAT(certificate::summary(record),
              HasSubstr("the best model that has a checkpoint is kept"));
}

// Some ten samples decide, so the margin is a third of the target.
TEST(JobRefusal, AMissedTargetIsExplainedByValidationSamplesThatAreTooFew) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.15;
  config.job.train.passes_max = 30;
  config.job.promise.deadline_s = 12;
  config.validation_chunks.resize(1);
  config.validation_chunks.front().count = 20;
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_NE(certificate::verdict(record), certificate::Verdict::kKept);
  EXPECT_THAT(certificate::summary(record), HasSubstr("validation samples decide when to stop"));
}

TEST(JobRefusal, WithBestEffortItTrainsOnToTheEnd) {
  FakeCluster cluster = running(hopeless_best_effort());
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kMissed);
  EXPECT_FALSE(record.infeasible);
  EXPECT_LT(record.certified->metric, 0.8);
  EXPECT_EQ(refusals(record), 1);
  ASSERT_TRUE(record.refused);
  EXPECT_TRUE(record.refused->refusal.target);
  EXPECT_EQ(certificate::headline(record), "The promise was refused, and the target was missed");
  EXPECT_THAT(certificate::summary(record), HasSubstr("training continued as best effort"));
}

TEST(JobRefusal, ANextCoordinatorDoesNotRefuseAgain) {
  const JobConfig config = hopeless_best_effort();
  FakeCluster first = running(config);
  RunState state = begun(config);
  while (!state.record.refused && !first.ended()) {
    first.run_steps(1);
    state = first.machine().state();
  }
  ASSERT_TRUE(state.record.refused);
  const double refused_s = state.record.refused->seconds;
  FakeCluster second = next_coordinator(config, state);
  second.run_steps(kPlenty);
  ASSERT_TRUE(second.ended());
  EXPECT_EQ(refusals(second.machine().state().record), 1);
  EXPECT_EQ(second.machine().state().record.refused->seconds, refused_s);
}

TEST(JobRefusal, ADeadlineThatHoldsNotASinglePassIsRefusedInItsFirstThird) {
  JobConfig config = small_config(2);
  config.job.promise.deadline_s = 40;
  FakeCluster cluster = running(config);
  run_slowly(cluster, 4);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  ASSERT_TRUE(record.infeasible) << record.stop_reason;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kInfeasible);
  EXPECT_THAT(record.infeasible->reason,
              HasSubstr("not a single pass can end: a pass of full takes"));
  EXPECT_EQ(record.infeasible->reason_class, plan::ReasonClass::kDeadline);
  EXPECT_LT(record.run_seconds, 32);
}

TEST(JobRefusal, ABudgetThatHoldsNotASinglePassIsRefusedBeforeItIsSpent) {
  JobConfig config = small_config(2);
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.budget = 80;
  FakeCluster cluster = running(config);
  run_slowly(cluster, 4);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  ASSERT_TRUE(record.infeasible);
  EXPECT_EQ(record.infeasible->reason_class, plan::ReasonClass::kBudget);
  EXPECT_THAT(record.infeasible->reason,
              HasSubstr("not a single pass can end: a pass of full takes"));
  EXPECT_THAT(record.infeasible->reason, HasSubstr("A budget of about"));
  EXPECT_LT(certificate::total_cost(record), 64);
}

// The budget may be used up before the first pass shows how long a pass takes.
TEST(JobRefusal, ABudgetThatIsUsedUpBeforeAPassHasEndedIsRefusedAndNotMissed) {
  for (const double budget : {0.5, 3.0, 6.0, 20.0}) {
    JobConfig config = small_config(2);
    config.job.cluster.nodes.front().price_per_s = 1;
    config.job.promise.budget = budget;
    FakeCluster cluster = running(config);
    run_slowly(cluster, 16);
    ASSERT_TRUE(cluster.ended()) << budget;
    const certificate::RunRecord& record = cluster.machine().state().record;
    EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kInfeasible)
        << budget << ": " << record.stop_reason;
    ASSERT_TRUE(record.infeasible) << budget;
    EXPECT_THAT(record.infeasible->reason, HasSubstr("not a single pass can end")) << budget;
    EXPECT_EQ(record.infeasible->reason_class, plan::ReasonClass::kBudget) << budget;
  }
}

TEST(JobRefusal, APassThatFitsIsNotRefused) {
  JobConfig config = small_config(2);
  config.job.promise.deadline_s = 100;
  FakeCluster cluster = running(config);
  run_slowly(cluster, 4);
  EXPECT_EQ(cluster.machine().state().record.measurements.size(), 1u);
  EXPECT_FALSE(cluster.machine().state().record.infeasible);
}

}  // namespace job_refusal_test
}  // namespace surety::orchestrator
