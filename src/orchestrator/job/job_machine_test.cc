#include "orchestrator/job/job_machine.h"

#include <gtest/gtest.h>

#include "certificate/certificate_json.h"
#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_machine_test {

constexpr int kPlenty = 100000;

FakeCluster training_cluster(std::uint32_t workers, double stop_metric) {
  JobConfig config = small_config(workers);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, stop_metric);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (std::uint32_t i = 0; i < workers; ++i) cluster.join();
  return cluster;
}

void expect_every_visit_once(const FakeCluster& cluster) {
  for (const auto& [visit, count] : cluster.visits()) {
    ASSERT_EQ(count, 1) << "pass " << visit.first << " chunk " << (visit.second >> 32) << " sample "
                        << (visit.second & 0xffffffff);
  }
}

TEST(JobMachine, ARunGoesThroughEveryPhaseAndKeepsItsPromise) {
  const JobConfig config = small_config(2);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  EXPECT_EQ(cluster.started(), 2u);
  cluster.join();
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  EXPECT_EQ(phases(cluster), (std::vector<std::string>{"gather", "train", "certify"}));
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

TEST(JobMachine, ProfilingMeasuresEveryPassOfEveryRun) {
  JobConfig config = small_config(2);
  config.mode = RunMode::kProfile;
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  // Two seeds of one version, three passes and the untrained model.
  EXPECT_EQ(cluster.machine().state().profile_runs.finished.curves.size(), 2u * 4u);
  EXPECT_EQ(cluster.machine().state().profile_runs.finished.links.size(), 2u);
  // The nodes are paid for while they prepare the first pass.
  const std::vector<plan::StartTime>& starts =
      cluster.machine().state().profile_runs.finished.starts;
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_GT(starts[0].paid_seconds, 0);
}

TEST(JobMachine, WorkersDieAndJoinAndEverySampleIsVisitedOncePerPass) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    FakeCluster cluster = training_cluster(4, 0.45);
    for (int event = 0; event < 60 && !cluster.ended(); ++event) {
      cluster.run_steps(static_cast<int>(random.below(12)));
      if (cluster.ended()) break;
      const std::vector<WorkerId> alive(cluster.alive().begin(), cluster.alive().end());
      const auto kind = random.below(4);
      if (kind == 0 && alive.size() > 1) cluster.kill(alive[random.below(alive.size())]);
      if (kind == 1 && alive.size() < 6) cluster.join();
      if (kind == 2 && alive.size() > 2) cluster.ask_to_leave(alive[random.below(alive.size())]);
      expect_every_visit_once(cluster);
    }
    cluster.join();  // All remaining workers may be leaving.
    cluster.run_steps(kPlenty);
    ASSERT_TRUE(cluster.ended()) << "seed " << seed << " does not end";
    EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
    expect_every_visit_once(cluster);
    // Finished passes are whole: 240 samples each.
    std::map<std::uint32_t, int> per_pass;
    for (const auto& [visit, count] : cluster.visits()) per_pass[visit.first] += count;
    for (const auto& [pass, count] : per_pass)
      EXPECT_EQ(count, 240) << "seed " << seed << " pass " << pass;
  }
}

TEST(JobMachine, WhenEveryHolderOfTheModelDiesTrainingGoesBackToTheCheckpoint) {
  FakeCluster cluster = training_cluster(2, 0.45);
  while (cluster.machine().state().checkpoints.empty()) cluster.run_steps(1);
  cluster.run_steps(3);
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_TRUE(cluster.machine().state().record.certified);
}

TEST(JobMachine, BelowTheSmallestNumberOfWorkersOneIsStarted) {
  FakeCluster cluster = training_cluster(2, 0.45);
  cluster.run_steps(20);
  const std::uint32_t before = cluster.started();
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.ask_to_leave(worker);
  EXPECT_EQ(cluster.started(), before + 1);
}

// This happens when a coordinator was down for too long, and its new workers were then also lost.
TEST(JobMachine, TheLossOfAllWorkersIsNoReasonToStartNoMore) {
  FakeCluster cluster = training_cluster(9, 0.45);
  cluster.run_steps(20);
  const std::uint32_t before = cluster.started();
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  for (int again = 0; again < 3; ++again) {
    cluster.join();
    cluster.kill(*cluster.alive().begin());
  }
  EXPECT_EQ(cluster.started(), before + 9);
  cluster.pass_time(1.5);
  EXPECT_EQ(cluster.started(), before + 12);
  EXPECT_FALSE(cluster.ended());
}

TEST(JobMachine, ARunWhoseWorkersAreLostAgainAndAgainFailsWhenNobodyIsLeft) {
  FakeCluster cluster = training_cluster(1, 0.45);
  for (std::uint32_t loss = 0; loss <= Places::kRestartsMax; ++loss) {
    EXPECT_FALSE(cluster.ended()) << loss;
    cluster.kill(*cluster.alive().begin());
    cluster.pass_time(10);
    if (loss < Places::kRestartsMax) cluster.join();
  }
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kFailed);
  EXPECT_NE(cluster.ended()->reason.find("4 workers were lost"), std::string::npos);
}

TEST(JobMachine, ModelsThatDifferStopTheRunAndAreNotCommitted) {
  FakeCluster cluster = training_cluster(3, 0.45);
  cluster.run_steps(20);
  const auto visits = cluster.visits();
  cluster.set_liar(*cluster.alive().begin());
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kFailed);
  EXPECT_NE(cluster.ended()->reason.find("hold different models"), std::string::npos);
}

TEST(JobMachine, ASilentWorkerIsDeclaredDeadAndTheOthersGoOn) {
  FakeCluster cluster = training_cluster(3, 0.45);
  cluster.run_steps(20);
  const WorkerId silent = *cluster.alive().begin();
  cluster.pass_time(30, silent);
  EXPECT_FALSE(cluster.alive().contains(silent));
  EXPECT_EQ(cluster.alive().size(), 2u);
}

TEST(JobMachine, ASecondLifeFollowsFromTheJournalAlone) {
  FakeCluster first = training_cluster(2, 0.45);
  while (first.machine().state().checkpoints.size() < 2) first.run_steps(1);

  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  RunState state = begun(config);
  for (const auto& record : first.journal()) {
    ASSERT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  }
  EXPECT_EQ(to_json(state.record), to_json(first.machine().state().record));

  FakeCluster second(config, state);
  second.feed(Started{});
  second.join();
  second.join();
  second.run_steps(kPlenty);
  ASSERT_TRUE(second.ended());
  EXPECT_TRUE(second.machine().state().record.certified);
  // Ids continue after those of the first coordinator.
  EXPECT_EQ(second.machine().state().workers.last_id, 4u);
}

// Otherwise the time of the certification would count as gathering, and its grace time would begin
// with the gathering.
TEST(JobMachine, AResumedCertificationIsAPhaseAgain) {
  FakeCluster first = training_cluster(2, 0.45);
  first.run_steps(kPlenty);
  ASSERT_TRUE(first.ended());

  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  RunState state = begun(config);
  for (const auto& record : first.journal()) {
    if (state.stop) break;
    ASSERT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  }
  FakeCluster second = next_coordinator(config, state);
  second.run_steps(kPlenty);
  ASSERT_TRUE(second.ended());
  EXPECT_TRUE(second.machine().state().record.certified);
  std::vector<std::string> phases;
  for (const auto& record : second.journal()) {
    if (record.has_phase_began()) phases.push_back(record.phase_began().phase());
  }
  ASSERT_GE(phases.size(), 2u);
  EXPECT_EQ(phases[0], "gather");
  EXPECT_EQ(phases[1], "certify");
}

TEST(JobMachine, TheDeadlineEndsTrainingAndTheBestCheckpointIsCertified) {
  FakeCluster cluster = training_cluster(2, 0.0);  // A target that no model reaches.
  while (cluster.machine().state().checkpoints.empty()) cluster.run_steps(1);
  cluster.pass_time(1001);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kMissed);
  EXPECT_TRUE(cluster.machine().state().record.certified);
}

TEST(JobMachine, AWorkerThatHangsDoesNotKeepTheOthersFromCertifying) {
  FakeCluster cluster = training_cluster(2, 0.0);
  while (cluster.machine().state().checkpoints.empty()) cluster.run_steps(1);
  cluster.hang(WorkerId{2});
  cluster.pass_time(1001);
  cluster.run_steps(kPlenty);
  EXPECT_FALSE(cluster.ended());
  cluster.pass_time(21);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_TRUE(cluster.machine().state().record.certified);
  EXPECT_EQ(cluster.alive().count(WorkerId{2}), 0u);
}

TEST(JobMachine, NodesThatThePlanDoesNotNeedAreReleased) {
  JobConfig config = small_config(4);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan(2, 0.45);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (int i = 0; i < 4; ++i) cluster.join();
  cluster.run_steps(200);
  EXPECT_EQ(cluster.alive().size(), 2u);
}

TEST(JobMachine, WorkersThatEndBeforeTheyJoinEndTheRunWithAPointerToTheirLogs) {
  const JobConfig config = small_config(2);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (std::uint32_t attempt = 0; attempt <= Places::kRestartsMax; ++attempt) {
    cluster.pass_time(10);
    for (int worker = 0; worker < 2; ++worker) {
      EXPECT_FALSE(cluster.ended());
      cluster.end_before_joining();
    }
  }
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kFailed);
  EXPECT_NE(cluster.ended()->reason.find("logs/"), std::string::npos);
}

// `surety run` with data that may be dropped profiles first, on workers that all come from
// elsewhere.
FakeCluster profiling_elsewhere() {
  JobConfig config = small_config(0);
  config.job.profile.data_fractions = {1, 0.5};
  config.starts_workers = false;
  return running(config);
}

TEST(JobMachine, ARunWhoseWorkersAreAllLostWhileItMeasuresEndsAtItsDeadline) {
  FakeCluster cluster = profiling_elsewhere();
  cluster.run_steps(20);
  ASSERT_FALSE(cluster.ended());
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  EXPECT_FALSE(cluster.ended());
  cluster.pass_time(1001);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record),
            certificate::Verdict::kInfeasible);
}

TEST(JobMachine, MeasuringThatUsesUpTheBudgetRefusesThePromise) {
  JobConfig config = small_config(2);
  config.job.profile.data_fractions = {1, 0.5};
  config.job.profile.passes = 6;
  config.job.cluster.nodes[0].price_per_s = 1;
  config.job.promise.budget = 25;  // Certifying the result costs a part of it.
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
  cluster.run_steps(20);
  cluster.pass_time(30);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  const auto& infeasible = cluster.machine().state().record.infeasible;
  ASSERT_TRUE(infeasible);
  EXPECT_EQ(infeasible->reason_class, plan::ReasonClass::kBudget);
  EXPECT_LT(certificate::total_cost(cluster.machine().state().record), 26);
}

TEST(JobMachine, HeartbeatsDoNotPutOffTheNextTick) {
  // Four workers, and a heartbeat of one of them every 62 ms. If the machine waited for a quarter
  // of a second without an event, it would wait for ever, and no retry or deadline would happen.
  FakeCluster cluster = training_cluster(4, 0.45);
  const double tick_s = cluster.machine().deadline_s();
  proto::FromWorker beat;
  beat.mutable_heartbeat();
  for (int i = 1; i <= 3; ++i) {
    (void)cluster.machine().step(cluster.now_s() + 0.062 * i, WorkerMessage{WorkerId{1}, beat});
    EXPECT_DOUBLE_EQ(cluster.machine().deadline_s(), tick_s);
  }
  (void)cluster.machine().step(tick_s, Tick{});
  EXPECT_DOUBLE_EQ(cluster.machine().deadline_s(), tick_s + 0.25);
}

TEST(JobMachine, OfTwoThatAreLostAtOnceNeitherIsToldAnythingMore) {
  FakeCluster cluster = training_cluster(4, 0.1);
  cluster.run_steps(30);
  proto::FromWorker beat;
  beat.mutable_heartbeat();
  std::set<WorkerId> gone;
  for (double now_s = cluster.now_s(); gone.empty() && now_s < cluster.now_s() + 60;
       now_s += 0.25) {
    for (const std::uint32_t worker : {1u, 2u}) {
      (void)cluster.machine().step(now_s, WorkerMessage{WorkerId{worker}, beat});
    }
    for (const Effect& effect : cluster.machine().step(now_s, Tick{})) {
      if (const auto* end = std::get_if<Disconnect>(&effect)) gone.insert(end->worker);
      if (const auto* send = std::get_if<Send>(&effect)) {
        EXPECT_FALSE(gone.contains(send->command.to)) << send->command.to.value;
      }
    }
  }
  EXPECT_EQ(gone, (std::set<WorkerId>{WorkerId{3}, WorkerId{4}}));
}

// All holders of the model crash, and the newest checkpoint differs from the saved model.
TEST(JobMachine, ADamagedCheckpointIsGivenUpForTheOneBeforeIt) {
  FakeCluster cluster = training_cluster(2, 0.1);
  while (cluster.machine().state().checkpoints.size() < 2) cluster.run_steps(1);
  const auto kept = cluster.machine().state().checkpoints;
  cluster.damage(kept.back().folder() + "/model");
  cluster.run_steps(0);
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.run_steps(3);
  const RunState& state = cluster.machine().state();
  ASSERT_FALSE(state.checkpoints.empty());
  EXPECT_EQ(state.checkpoints.back().folder(), kept.front().folder());
  EXPECT_FALSE(cluster.ended());
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  expect_every_visit_once(cluster);
}

TEST(JobMachine, AModelThatMetTheTargetAndIsLostIsTrainedAgain) {
  FakeCluster cluster = training_cluster(2, 0.45);
  const std::string lost = lose_the_model_that_met_the_target(cluster);
  cluster.join();
  cluster.run_steps(3);
  EXPECT_FALSE(cluster.machine().state().stop);
  EXPECT_EQ(cluster.machine().state().record.stop_reason, "");
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  const RunState& state = cluster.machine().state();
  ASSERT_TRUE(state.record.certified);
  EXPECT_LE(state.record.certified->metric, 0.45);
  EXPECT_NE(state.record.certified->checkpoint, lost);
  expect_every_visit_once(cluster);
}

// After the deadline the best remaining checkpoint is certified.
TEST(JobMachine, AModelThatIsLostAfterTheDeadlineGivesWayToTheBestOneLeft) {
  FakeCluster cluster = training_cluster(2, 0.45);
  const std::string lost = lose_the_model_that_met_the_target(cluster);
  const auto kept = cluster.machine().state().checkpoints;
  ASSERT_EQ(kept.back().folder(), lost);
  cluster.pass_time(cluster.machine().state().record.deadline_s);
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  ASSERT_TRUE(cluster.machine().state().record.certified);
  EXPECT_EQ(cluster.machine().state().record.certified->checkpoint, kept.front().folder());
}

// A worker that was delayed while it wrote the first checkpoint may still be writing.
TEST(JobMachine, APassThatIsTrainedAgainHasACheckpointOfAnotherName) {
  FakeCluster cluster = training_cluster(2, 0.1);
  while (cluster.machine().state().checkpoints.size() < 2) cluster.run_steps(1);
  cluster.run_steps(0);
  const std::string last = cluster.machine().state().checkpoints.back().folder();
  cluster.damage(last + "/model");
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  std::vector<std::string> of_last;
  for (const proto::JournalRecord& record : cluster.journal()) {
    if (!record.has_checkpoint_committed()) continue;
    const std::string& folder = record.checkpoint_committed().folder();
    if (folder.starts_with(last)) of_last.push_back(folder);
  }
  EXPECT_EQ(of_last, (std::vector<std::string>{last, last + "-again-1"}));
}

// A job in which three workers train a linear model to a duality gap of 0.01.
FakeCluster linear_cluster() {
  JobConfig config = small_config(3);
  config.mode = RunMode::kTrain;
  config.job.train.solver = job::Solver::kCocoa;
  config.job.promise.metric = plan::Metric::kDualityGap;
  config.job.promise.target = 0.01;
  config.plan = hand_plan({}, 0.01);
  FakeCluster cluster(config, begun(config));
  cluster.set_gap_rate([](std::size_t) { return 0.5; });
  cluster.feed(Started{});
  for (int i = 0; i < 3; ++i) cluster.join();
  return cluster;
}

// A linear model is computed from the dual variables that its workers hold. If a worker is lost,
// its changes since the last checkpoint are lost too, so the remaining model is not the measured
// one.
TEST(JobMachine, AModelThatChangedBeforeItWasSavedIsNotSavedWithItsMetric) {
  FakeCluster cluster = linear_cluster();
  const auto& seen = cluster.machine().state().record.measurements;
  while (seen.empty() || seen.back().metric > 0.01) cluster.run_steps(1);
  const std::size_t saved = cluster.machine().state().checkpoints.size();
  cluster.run_steps(0);
  cluster.kill(WorkerId{2});  // The target is met, and the model is being saved.
  cluster.run_steps(8);
  EXPECT_EQ(cluster.machine().state().checkpoints.size(), saved);
  EXPECT_TRUE(std::ranges::any_of(cluster.log_lines(), [](const std::string& text) {
    return text.find("a worker was lost before the measured model was saved") != text.npos;
  }));
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

// The others compute its part of the model again, with different bytes.
TEST(JobMachine, WhereAWorkerIsLostWhileAModelIsCertifiedItIsLoadedAndMeasuredAgain) {
  FakeCluster cluster = linear_cluster();
  while (!cluster.machine().state().stop) cluster.run_steps(1);
  cluster.run_steps(3);  // All three have the checkpoint, and have been told to measure it.
  cluster.run_steps(0);
  const std::uint32_t session = cluster.session();
  cluster.kill(WorkerId{2});
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.session(), session + 1);
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

TEST(JobMachine, ALaterCoordinatorsCheckpointsHaveNamesOfTheirOwn) {
  const JobConfig config = small_config(2);
  RunState state = begun(config);
  state.term = 3;
  FakeCluster cluster(config, std::move(state));
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
  while (cluster.machine().state().checkpoints.empty() && !cluster.ended()) cluster.run_steps(1);
  const std::string& folder = cluster.machine().state().checkpoints.front().folder();
  EXPECT_TRUE(folder.starts_with("checkpoints/coordinator-3/")) << folder;
}

TEST(JobMachine, StopOnRequestLeavesARunThatCanBeResumed) {
  FakeCluster cluster = training_cluster(2, 0.45);
  cluster.run_steps(20);
  cluster.feed(StopRequested{});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kInterrupted);
  EXPECT_FALSE(cluster.machine().state().end);
  ASSERT_TRUE(cluster.machine().state().pause);
  EXPECT_EQ(cluster.machine().state().pause->reason(), "stopped on request");
  EXPECT_FALSE(cluster.machine().state().pause->retry_would_fail());
}

}  // namespace job_machine_test
}  // namespace surety::orchestrator
