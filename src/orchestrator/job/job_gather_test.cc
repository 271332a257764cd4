// Gathering the first workers: the lines in the log, and the part of the deadline that it may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_gather_test {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPlenty = 100000;

// Workers were requested, and none has joined.
FakeCluster gathering(double deadline_s, const JobConfig& basis = small_config(2)) {
  JobConfig config = basis;
  config.job.promise.deadline_s = deadline_s;
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  return cluster;
}

TEST(Gather, TheNumberOfJoinedWorkersIsReportedFromTheBeginning) {
  FakeCluster cluster = gathering(1000);
  ASSERT_TRUE(cluster.machine().view().waits_for);
  EXPECT_EQ(cluster.machine().view().waits_for->what, "0 of 2 workers have joined");
  cluster.pass_time(7);
  cluster.join();
  EXPECT_EQ(cluster.machine().view().waits_for->what, "1 of 2 workers has joined");
  EXPECT_EQ(cluster.machine().view().waits_for->since_s, 0);
}

TEST(Gather, TheReasonOfAWaitInTrainingIsAlsoReported) {
  FakeCluster cluster = gathering(1000);
  cluster.join();
  cluster.join();
  ASSERT_TRUE(cluster.machine().view().waits_for);
  EXPECT_EQ(cluster.machine().view().waits_for->what,
            "0 of 2 workers have received their samples and the model");
}

TEST(Gather, WhoIsLateIsNotWaitedForBeyondAQuarterOfTheTimeToTheDeadline) {
  FakeCluster cluster = gathering(20);
  cluster.join();
  cluster.pass_time(4.5);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kGather);
  cluster.pass_time(1);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kTrain);
  EXPECT_THAT(
      cluster.log_lines(),
      Contains(HasSubstr("1 of 2 workers has joined, and the run continues without the others")));
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("starting workers took 5")));
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

TEST(Gather, ADeadlineThatGatheringEatsIsWarnedOfOnce) {
  FakeCluster cluster = gathering(20);
  cluster.pass_time(3.5);
  EXPECT_THAT(cluster.log_lines(), Each(Not(HasSubstr("warning"))));
  cluster.pass_time(10);
  EXPECT_EQ(std::ranges::count_if(
                cluster.log_lines(),
                [](const std::string& line) { return line.find("warning: 4s of the 20s") == 0; }),
            1);
}

TEST(Gather, ADeadlineThatEndsWhileNobodyIsThereIsRefusedAndNotMissedWithoutAWord) {
  FakeCluster cluster = gathering(20);
  cluster.pass_time(21);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kInfeasible);
  EXPECT_EQ(record.infeasible->reason_class, plan::ReasonClass::kDeadline);
  EXPECT_THAT(record.infeasible->reason, HasSubstr("only 0 of 2 workers have joined"));
  EXPECT_LE(record.run_seconds, 20);
}

TEST(Gather, WithBestEffortNothingIsRefused) {
  JobConfig config = small_config(2);
  config.job.best_effort = true;
  FakeCluster cluster = gathering(20, config);
  cluster.pass_time(90);
  ASSERT_TRUE(cluster.ended());
  EXPECT_FALSE(cluster.machine().state().record.infeasible);
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kMissed);
}

// The state of a run that has trained until its first checkpoint, and then lost its coordinator.
RunState interrupted(const JobConfig& config) {
  FakeCluster first = running(config);
  while (first.machine().state().checkpoints.empty() && !first.ended()) first.run_steps(1);
  EXPECT_FALSE(first.ended());
  return first.machine().state();
}

std::vector<std::string> phases_of(const FakeCluster& cluster) {
  std::vector<std::string> phases;
  for (const auto& record : cluster.journal()) {
    if (record.has_phase_began()) phases.push_back(record.phase_began().phase());
  }
  return phases;
}

// Evaluating thousands of passes again takes half a minute, and no pass could follow.
TEST(Gather, ARunThatIsResumedAfterItsDeadlineCertifiesAndDoesNotEvaluateItsPassesAgain) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.2;
  RunState state = interrupted(config);
  state.record.deadline_s = 0;
  ASSERT_TRUE(state.best_checkpoint);
  FakeCluster second = next_coordinator(config, state);
  EXPECT_THAT(phases_of(second), ElementsAre("gather", "certify"));
  const auto& stop = second.machine().state().stop;
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason(), "the deadline has passed");
  EXPECT_EQ(stop->checkpoint(), state.best_checkpoint->folder());
}

TEST(Gather, ARunWithAPlanThatIsResumedAfterItsDeadlineDoesNotTrainEither) {
  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, 0.2);
  RunState state = interrupted(config);
  state.record.deadline_s = 0;
  FakeCluster second = next_coordinator(config, state);
  EXPECT_THAT(phases_of(second), ElementsAre("gather", "certify"));
}

// A worker waits for its welcome for a limited time, and the last one joins in the same step in
// which the passes would be evaluated again.
TEST(Gather, APoolThatContinuesBeginsAtTheNextTickSoThatTheLastWorkerIsWelcomedBefore) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.2;
  RunState state = interrupted(config);
  proto::JournalRecord record;
  record.mutable_run_resumed()->set_term(2);
  ASSERT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  FakeCluster second(config, state);
  second.feed(Started{});
  for (int i = 0; i < 2; ++i) second.join();
  EXPECT_EQ(second.last_welcome().worker(), 4u);
  EXPECT_EQ(second.machine().state().phase, RunPhase::kGather);
  second.run_steps(0);
  EXPECT_EQ(second.machine().state().phase, RunPhase::kTrain);
}

TEST(JobGather, AnInvitationIsForALimitedNumberOfWorkersAtATime) {
  const JobConfig config = small_config(1);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  proto::Hello hello;
  hello.set_host("elsewhere");
  const auto invited = [&] {
    std::size_t count = 0;
    const WorkerHistory& workers = cluster.machine().state().workers;
    for (const auto& [worker, type] : workers.present) count += workers.invited.contains(worker);
    return count;
  };
  for (std::uint64_t connection = 100; connection < 117; ++connection) {
    cluster.feed(WorkerHello{connection, hello, Origin::kJoinedByItself, "gpu-3"});
  }
  EXPECT_EQ(invited(), 16u);
  cluster.feed(WorkerHello{200, hello, Origin::kJoinedByItself, "gpu-4"});
  EXPECT_EQ(invited(), 17u);
}

TEST(JobGather, AWorkerRequestsToLeaveOnce) {
  FakeCluster cluster = running(small_config(2));
  const WorkerId worker = *cluster.alive().begin();
  for (int i = 0; i < 5; ++i) cluster.ask_to_leave(worker);
  EXPECT_EQ(std::ranges::count_if(cluster.log_lines(),
                                  [](const std::string& line) {
                                    return line.find("requests to leave") != std::string::npos;
                                  }),
            1);
}

}  // namespace job_gather_test
}  // namespace surety::orchestrator
