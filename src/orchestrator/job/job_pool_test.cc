// A run as a pool of attempts: every pass is training, and each is followed by a decision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "certificate/record_text.h"
#include "orchestrator/history/earlier_record.h"
#include "orchestrator/job/fake_cluster_test.h"
#include "orchestrator/stages/pool_replay.h"
#include "orchestrator/stages/pool_setup.h"

namespace surety::orchestrator {
namespace job_pool_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::ResultOf;

constexpr int kPlenty = 100000;

std::size_t passes(FakeCluster& cluster) {
  return cluster.machine().state().record.measurements.size();
}

void go_to_pass(FakeCluster& cluster, std::size_t count) {
  for (int step = 0; step < 10000 && passes(cluster) < count; ++step) cluster.run_steps(1);
  ASSERT_EQ(passes(cluster), count);
}

TEST(JobPool, TheFirstAttemptThatReachesTheTargetIsCertifiedAtOnce) {
  FakeCluster cluster = running(small_config(2));
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
  // The loss 0.1 + 2 / (1 + passes) is at most 0.6 after three passes; the margin needs one more.
  EXPECT_LE(record.measurements.size(), 4u);
  EXPECT_EQ(record.certified->attempt, record.measurements.back().attempt);
}

TEST(JobPool, AModelThatMetTheTargetAndIsLostIsTrainedAgain) {
  FakeCluster cluster = running(small_config(2));
  const std::string lost = lose_the_model_that_met_the_target(cluster);
  for (int i = 0; i < 2; ++i) cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
  EXPECT_NE(record.certified->checkpoint, lost);
}

TEST(JobPool, ThePromiseIsStatedOnceItCanBeKept) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.25;  // Reached after some 14 passes.
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
  ASSERT_TRUE(record.stated);
  EXPECT_GE(record.stated->probability_lower, 0.7);
  EXPECT_THAT(record.stated->argument, HasSubstr("not covered"));
}

TEST(JobPool, MeasuringOnlyPausesWhenThePromiseIsStatedAndLosesNoPass) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.25;  // Reached after some 14 passes.
  config.measures_only = true;
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kPaused);
  const RunState& state = cluster.machine().state();
  EXPECT_TRUE(state.pause);
  ASSERT_TRUE(state.record.stated);
  EXPECT_LT(state.record.measurements.size(), 14u);
  const certificate::Measurement& last = state.record.measurements.back();
  ASSERT_TRUE(last.attempt);
  ASSERT_TRUE(state.attempts.checkpoints.contains(*last.attempt));
  EXPECT_EQ(state.attempts.checkpoints.at(*last.attempt).pass(), last.pass);
}

TEST(JobPool, MeasuringOnlyPausesAtOnceWhereThePromiseWasStatedBefore) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.25;
  FakeCluster first = running(config);
  RunState state = begun(config);
  while (!state.record.stated) {
    first.run_steps(1);
    state = first.machine().state();
  }
  config.measures_only = true;
  FakeCluster second = next_coordinator(config, state);
  second.run_steps(kPlenty);
  ASSERT_TRUE(second.ended());
  EXPECT_EQ(second.ended()->ending, Ending::kPaused);
  EXPECT_EQ(passes(second), state.record.measurements.size());
}

TEST(JobPool, MeasuringOnlyCertifiesATargetThatComesBeforeThePromise) {
  JobConfig config = small_config(2);
  config.measures_only = true;
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

TEST(JobPool, TheBudgetIsKeptAfterEveryPass) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.05;
  config.job.best_effort = true;
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.budget = 10;
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  EXPECT_LE(certificate::total_cost(record), 10);
  EXPECT_THAT(record.stop_reason, HasSubstr("no money is left"));
}

// The loss 0.1 + 2 / (1 + passes) is at most 0.3 after nine passes.
TEST(JobPool, AfterTooSmallABudgetTheOneThatWouldHaveBeenEnoughIsNamed) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.3;
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.budget = 2.7;
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const certificate::RunRecord& record = cluster.machine().state().record;
  ASSERT_EQ(certificate::verdict(record), certificate::Verdict::kMissed);
  EXPECT_THAT(record.stop_reason, Not(HasSubstr("would be reached")));
  EXPECT_THAT(record.enough, Optional(HasSubstr("% with a budget of about ")));
  EXPECT_THAT(certificate::summary(record), HasSubstr(record.stop_reason + "; " + *record.enough));
}

TEST(JobPool, ARunThatWasKeptDoesNotSayWhatWouldHaveBeenEnough) {
  FakeCluster cluster = running(small_config(2));
  cluster.run_steps(kPlenty);
  certificate::RunRecord record = cluster.machine().state().record;
  ASSERT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
  record.enough = "of 90 % with a budget of about 7";
  EXPECT_EQ(certificate::stop_words(record), record.stop_reason);
}

// The budget ends in the middle of a pass.
TEST(JobPool, TheBudgetIsKeptWithinAPass) {
  JobConfig config = small_config(2);
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.budget = 20;
  FakeCluster cluster = running(config);
  while (cluster.machine().state().checkpoints.empty() && passes(cluster) < 1) cluster.run_steps(1);
  cluster.pass_time(30);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kCertify);
  EXPECT_THAT(cluster.machine().state().record.stop_reason, HasSubstr("the budget is used up"));
}

TEST(JobPool, WhenEveryHolderOfTheModelDiesAnAttemptGoesBackToItsCheckpoint) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.2;
  FakeCluster cluster = running(config);
  while (cluster.machine().state().checkpoints.empty() && !cluster.ended()) cluster.run_steps(1);
  ASSERT_FALSE(cluster.ended());
  cluster.run_steps(3);
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

// Its untrained metric was measured before, and is not measured again.
TEST(JobPool, AnAttemptThatBeginsAgainKeepsWhatWasMeasuredBefore) {
  const JobConfig config = small_config(2);
  RunState state = begun(config);
  proto::JournalRecord began;
  began.mutable_attempt_began()->set_attempt(1);
  began.mutable_attempt_began()->set_untrained_metric(2.1);
  ASSERT_TRUE(apply(state, began, config.job.cluster, config.job.promise.metric));
  began.mutable_attempt_began()->clear_untrained_metric();
  ASSERT_TRUE(apply(state, began, config.job.cluster, config.job.promise.metric));
  ASSERT_EQ(state.attempts.begun.size(), 1u);
  EXPECT_EQ(state.attempts.begun[0].untrained_metric(), 2.1);
}

void fail_one(FakeCluster& cluster, proto::Fault fault, const std::string& text) {
  proto::FromWorker message;
  message.mutable_failed()->set_fault(fault);
  message.mutable_failed()->set_message(text);
  message.mutable_failed()->set_fatal(true);
  message.set_sequence(cluster.last_sequence());
  cluster.feed(WorkerMessage{*cluster.alive().begin(), message});
}

// The model in training has values that are not finite any more.
void diverge(FakeCluster& cluster) {
  fail_one(cluster, proto::FAULT_TRAINING, "the loss is not a number");
}

// Another attempt, or another coordinator, would read the same file.
TEST(JobPool, WhatIsWrongWithTheInputEndsTheRunAndNoOtherAttemptIsMade) {
  FakeCluster cluster = running(small_config(1), 1);
  go_to_pass(cluster, 1);
  fail_one(cluster, proto::FAULT_INPUT, "data.set (x.csv): line 7");
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kBadInput);
  EXPECT_THAT(cluster.ended()->reason, HasSubstr("data.set (x.csv): line 7"));
  EXPECT_EQ(cluster.machine().state().attempts.begun.size(), 1u);
}

// A missing file of samples, or a broken link, is no reason to abandon checkpoints one after the
// other.
TEST(JobPool, WhatIsWrongWithTheInputGivesUpNoCheckpointThatIsLoaded) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.2;
  FakeCluster first = running(config);
  while (first.machine().state().attempts.checkpoints.empty() && !first.ended()) first.run_steps(1);
  ASSERT_FALSE(first.ended());
  const std::map<proto::Fault, Ending> endings{{proto::FAULT_INPUT, Ending::kBadInput},
                                               {proto::FAULT_PROGRAM, Ending::kFailed}};
  for (const auto& [fault, ending] : endings) {
    RunState state = first.machine().state();
    FakeCluster second = next_coordinator(config, state);
    // One that lacks its data is given up. If all lack them, the last one ends the run.
    for (int worker = 0; worker < 2 && !second.ended(); ++worker) {
      fail_one(second, fault, "data.set (x.csv): no such file");
    }
    ASSERT_TRUE(second.ended()) << fault;
    EXPECT_EQ(second.ended()->ending, ending);
    EXPECT_EQ(second.machine().state().attempts.checkpoints.size(),
              state.attempts.checkpoints.size());
    EXPECT_EQ(second.machine().state().pause->retry_would_fail(), ending == Ending::kBadInput);
  }
}

TEST(JobPool, AWorkerWhoseMachineFailsIsToldToEndAndTheOthersContinue) {
  FakeCluster cluster = running(small_config(2));
  go_to_pass(cluster, 1);
  const int byes = cluster.byes();
  const std::set<WorkerId> before = cluster.alive();
  fail_one(cluster, proto::FAULT_MACHINE, "no space left on device");
  EXPECT_FALSE(cluster.ended());
  EXPECT_EQ(cluster.byes(), byes + 1);
  EXPECT_FALSE(cluster.alive().contains(*before.begin()));
  EXPECT_THAT(cluster.journal(),
              Contains(ResultOf(
                  [](const proto::JournalRecord& record) { return record.worker_gone().reason(); },
                  HasSubstr("no space left on device"))));
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
}

TEST(JobPool, WhatIsWrongWithTheOnlyMachineStopsTheRunWhereItCanBeResumed) {
  for (const proto::Fault fault :
       {proto::FAULT_MACHINE, proto::FAULT_DAMAGE, proto::FAULT_PROGRAM}) {
    FakeCluster cluster = running(small_config(1), 1);
    go_to_pass(cluster, 1);
    fail_one(cluster, fault, "no space left on device");
    ASSERT_TRUE(cluster.ended());
    EXPECT_EQ(cluster.ended()->ending, Ending::kFailed) << fault;
    EXPECT_TRUE(cluster.machine().state().pause);
  }
}

TEST(JobPool, ARunWhoseModelDivergesTriesASmallerLearningRate) {
  FakeCluster cluster = running(small_config(2));
  go_to_pass(cluster, 1);
  diverge(cluster);
  ASSERT_EQ(cluster.machine().state().attempts.failed.size(), 1u)
      << (cluster.ended()               ? cluster.ended()->reason
          : cluster.log_lines().empty() ? ""
                                        : cluster.log_lines().back());
  const auto& attempts = cluster.machine().state().attempts.begun;
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_DOUBLE_EQ(attempts[1].learning_rate(), 0.1 * attempts[0].learning_rate());
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

std::vector<std::optional<std::uint32_t>> choices_of_workers(const JobConfig& config) {
  std::vector<std::optional<std::uint32_t>> workers;
  const PoolSetup setup = pool_setup(config.job, config.schema, 6, std::nullopt);
  for (const plan::PoolVariantSpec& variant : setup.spec.variants) {
    workers.push_back(variant.workers);
  }
  return workers;
}

TEST(JobPool, ALinearModelMayContinueWithFewerWorkers) {
  JobConfig config = small_config(6);
  config.job.cluster.nodes.front().local = 6;
  EXPECT_THAT(choices_of_workers(config), ElementsAre(std::nullopt));
  config.job.train.solver = job::Solver::kCocoa;
  EXPECT_THAT(choices_of_workers(config), ElementsAre(6, 3, 1));
  config.job.cluster.workers_min = 2;
  EXPECT_THAT(choices_of_workers(config), ElementsAre(6, 3));
  config.job.profile.workers = {4, 5};
  EXPECT_THAT(choices_of_workers(config), ElementsAre(5, 4));
  // Others may join, and then all present workers train.
  config.job.profile.workers = {};
  config.job.cluster.listen = "0.0.0.0:7000";
  EXPECT_THAT(choices_of_workers(config), ElementsAre(std::nullopt));
}

// The second run of a job, with another seed.
TEST(JobPool, WhatAnEarlierJobTaughtLetsThePromiseBeStatedSooner) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.25;
  FakeCluster first = running(config);
  first.run_steps(kPlenty);
  const RunState& done = first.machine().state();
  const auto learned = for_later_jobs(pool_setup(config.job, config.schema, 1, std::nullopt), done);
  ASSERT_TRUE(learned.has_value());
  EXPECT_EQ(learned->jobs, 1u);
  ASSERT_EQ(learned->first_attempts.size(), 1u);
  EXPECT_TRUE(learned->first_attempts[0].confirmed);
  ASSERT_TRUE(done.record.stated);

  config.job.train.seed = 2;
  proto::JournalRecord began;
  began.mutable_run_began()->set_mode(name_of(config.mode));
  began.mutable_run_began()->set_deadline_s(config.job.promise.deadline_s);
  *began.mutable_run_began()->mutable_earlier() = earlier_record(*learned);
  RunState state = initial_state(config.job);
  ASSERT_TRUE(apply(state, began, config.job.cluster, config.job.promise.metric));
  FakeCluster second(config, std::move(state));
  second.feed(Started{});
  for (int i = 0; i < 2; ++i) second.join();
  second.run_steps(kPlenty);
  const certificate::RunRecord& record = second.machine().state().record;
  EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
  ASSERT_TRUE(record.stated);
  EXPECT_LT(record.stated->seconds, done.record.stated->seconds);
  EXPECT_THAT(record.stated->argument, HasSubstr("1 earlier job of this kind"));
}

TEST(JobPool, AResultThatTheCertifyingSamplesContradictCountsAgainstLaterPromises) {
  JobConfig config = small_config(2);
  FakeCluster cluster = running(config);
  cluster.run_steps(kPlenty);
  RunState state = cluster.machine().state();
  state.record.certified->metric = state.record.promise.target + 0.01;
  const auto learned =
      for_later_jobs(pool_setup(config.job, config.schema, 1, std::nullopt), state);
  ASSERT_TRUE(learned.has_value());
  EXPECT_FALSE(learned->first_attempts.at(0).confirmed);
  // Only first attempts count, so a later attempt changes nothing here.
  state.record.certified->attempt = 2;
  EXPECT_TRUE(for_later_jobs(pool_setup(config.job, config.schema, 1, std::nullopt), state)
                  ->first_attempts.at(0)
                  .confirmed);
}

TEST(JobPool, WithSeveralLearningRatesOneThatDivergedIsNotTriedAgainNorAHigherOne) {
  JobConfig config = small_config(2);
  config.job.train.learning_rate_auto = true;
  config.job.promise.target = 0.15;
  FakeCluster cluster = running(config);
  go_to_pass(cluster, 1);
  EXPECT_DOUBLE_EQ(cluster.machine().state().attempts.begun.front().learning_rate(), 0.01);
  diverge(cluster);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const RunState& state = cluster.machine().state();
  EXPECT_EQ(state.attempts.failed, (std::set<std::uint32_t>{1}));
  ASSERT_GE(state.attempts.begun.size(), 2u);
  for (std::size_t i = 1; i < state.attempts.begun.size(); ++i) {
    EXPECT_DOUBLE_EQ(state.attempts.begun[i].learning_rate(), 0.003) << i;
  }
}

// A run is killed while its pool has several rates. Each attempt continues with the rate that it
// began with, and a failed rate is not tried again.
TEST(JobPool, ARunWithSeveralLearningRatesGoesOnWithTheRatesOfItsAttempts) {
  JobConfig config = small_config(2);
  config.job.train.learning_rate_auto = true;
  config.job.promise.target = 0.25;
  FakeCluster first = running(config);
  go_to_pass(first, 3);
  diverge(first);
  first.run_steps(kPlenty);
  ASSERT_TRUE(first.ended());
  ASSERT_GE(first.machine().state().attempts.begun.size(), 2u);
  // Each run takes seconds, and all together take a quarter of a minute.
  const std::size_t stride = std::max<std::size_t>(1, first.journal().size() / 6);
  for (std::size_t kept = stride; kept < first.journal().size(); kept += stride) {
    RunState state = begun(config);
    for (std::size_t i = 0; i < kept; ++i) {
      ASSERT_TRUE(apply(state, first.journal()[i], config.job.cluster, config.job.promise.metric));
    }
    if (state.end || state.stop) continue;
    FakeCluster second = next_coordinator(config, state);
    const RunState& before = state;
    second.run_steps(kPlenty);
    ASSERT_TRUE(second.ended()) << "after record " << kept;
    const RunState& after = second.machine().state();
    EXPECT_EQ(certificate::verdict(after.record), certificate::Verdict::kKept)
        << "after record " << kept;
    for (std::size_t i = 0; i < before.attempts.begun.size(); ++i) {
      EXPECT_EQ(after.attempts.begun[i].learning_rate(), before.attempts.begun[i].learning_rate())
          << kept;
    }
    if (!before.attempts.failed.contains(1)) continue;
    for (std::size_t i = before.attempts.begun.size(); i < after.attempts.begun.size(); ++i) {
      EXPECT_LT(after.attempts.begun[i].learning_rate(), before.attempts.begun[0].learning_rate())
          << kept;
    }
  }
}

TEST(JobPool, CheckpointsOfAttemptsThatDoNotGoOnAreNotKept) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.15;
  FakeCluster cluster = running(config);
  go_to_pass(cluster, 8);
  EXPECT_LE(kept_checkpoints(cluster.machine().state()).size(), 7u);
}

}  // namespace job_pool_test
}  // namespace surety::orchestrator
