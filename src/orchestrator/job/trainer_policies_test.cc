// The elastic policies in a running session: workers of unequal speed, in simulated time.
#include <gmock/gmock.h>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace trainer_policies_test {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr int kStepsMax = 100000;
constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};

// 48 chunks of 40 samples; in an iteration each of two workers has 4 batches of 8.
JobConfig config_of(elastic::Policies policies) {
  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  config.job.train.local_steps = 4;
  config.job.train.passes_max = 6;
  config.job.train.policies = policies;
  config.chunks.clear();
  for (std::uint32_t i = 0; i < 48; ++i) {
    config.chunks.push_back(
        {.id = ChunkId{i}, .source = 0, .first = 40 * i, .count = 40, .bytes = 400});
  }
  config.plan = hand_plan(2, 0.0001);
  return config;
}

std::uint64_t done(const FakeCluster& cluster, WorkerId worker) {
  const auto found = cluster.computed().find(worker);
  return found == cluster.computed().end() ? 0 : found->second;
}

class Session {
 public:
  explicit Session(const JobConfig& config) : cluster(config, begun(config)) {
    cluster.feed(Started{});
    cluster.join();
    cluster.join();
  }
  // Runs until worker 1 has computed `samples` more samples.
  void compute(std::uint64_t samples) {
    const std::uint64_t end = done(cluster, kW1) + samples;
    for (int i = 0; i < kStepsMax && done(cluster, kW1) < end; ++i) cluster.run_steps(1);
  }
  FakeCluster cluster;
};

TEST(TrainerPolicies, WhoIsThreeTimesAsSlowComputesAThird) {
  Session session(config_of({}));
  session.cluster.set_seconds_per_sample(kW1, 0.01);
  session.cluster.set_seconds_per_sample(kW2, 0.03);
  session.compute(200);
  const std::uint64_t first = done(session.cluster, kW1);
  const std::uint64_t second = done(session.cluster, kW2);
  session.compute(2000);
  const double share = static_cast<double>(done(session.cluster, kW2) - second) /
                       static_cast<double>(done(session.cluster, kW1) - first);
  EXPECT_NEAR(share, 1.0 / 3, 0.05);
  EXPECT_THAT(session.cluster.log_lines(),
              Contains(AllOf(HasSubstr(" moved: "), HasSubstr("to balance"),
                             HasSubstr("times the ideal"))));
}

// Six chunks and six workers: a seventh worker would have no chunk.
TEST(TrainerPolicies, ThatMoreWorkersWouldNotHelpIsSaidOnce) {
  JobConfig config = small_config(6);
  config.mode = RunMode::kTrain;
  config.job.train.passes_max = 6;
  config.plan = hand_plan(6, 0.0001);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (int i = 0; i < 6; ++i) cluster.join();
  cluster.run_steps(kStepsMax);
  const auto count = std::count_if(
      cluster.log_lines().begin(), cluster.log_lines().end(),
      [](const std::string& text) { return text.find("one chunk each") != std::string::npos; });
  EXPECT_EQ(count, 1);
}

TEST(TrainerPolicies, WithoutRebalancingAllComputeTheSame) {
  Session session(config_of({.rebalance = false, .cut_off = false}));
  session.cluster.set_seconds_per_sample(kW2, 0.03);
  session.compute(1500);
  const auto ours = static_cast<double>(done(session.cluster, kW1));
  EXPECT_NEAR(ours / static_cast<double>(done(session.cluster, kW2)), 1, 0.05);
}

// Both are known to take 0.01 s per sample: 32 samples take 0.32 s, and the cut-off is at 0.4 s.
TEST(TrainerPolicies, AStragglerIsCutOffAndTheOtherWaitsNoLonger) {
  for (const bool cut_off : {true, false}) {
    Session session(config_of({.rebalance = false, .cut_off = cut_off}));
    session.cluster.set_seconds_per_sample(kW1, 0.01);
    session.cluster.set_seconds_per_sample(kW2, 0.01);
    session.compute(200);
    session.cluster.forget_slowest_step();
    session.cluster.set_seconds_per_sample(kW2, 0.1);
    session.compute(64);
    EXPECT_EQ(session.cluster.slowest_step_s() < 0.55, cut_off);
    EXPECT_EQ(session.cluster.slowest_step_s() > 3, !cut_off);
  }
}

TEST(TrainerPolicies, CutOffsMovesAndShufflesLeaveEverySampleVisitedOncePerPass) {
  JobConfig config = config_of({.shuffle = true});
  config.job.train.passes_max = 50;
  Session session(config);
  FakeCluster& cluster = session.cluster;
  cluster.join();
  for (int i = 0; i < 40; ++i) {
    const WorkerId slow{static_cast<std::uint32_t>(i % 3 + 1)};
    cluster.set_seconds_per_sample(slow, i % 2 == 0 ? 0.05 : 0.005);
    cluster.run_steps(25);
  }
  constexpr std::size_t kSamples = 48 * 40;
  for (int i = 0; i < kStepsMax && cluster.visits().size() % kSamples != 0; ++i)
    cluster.run_steps(1);
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("late workers were stopped")));
  EXPECT_GE(cluster.visits().size(), 2 * kSamples);
  EXPECT_THAT(cluster.visits(), Each(Pair(testing::_, 1)));
}

std::vector<std::string> items_of(const proto::Step& step) {
  std::vector<std::string> items;
  for (const proto::WorkItem& item : step.items()) items.push_back(item.ShortDebugString());
  return items;
}

// It has already learned all of it or a part.
TEST(TrainerPolicies, WhoSurvivesAnIterationIsAskedForTheSameWorkAgain) {
  Session session(config_of({}));
  FakeCluster& cluster = session.cluster;
  session.compute(70);
  const std::vector<std::string> before = items_of(cluster.step_of(kW1));
  const std::uint64_t iteration = cluster.step_of(kW1).iteration();
  const int sent = cluster.step_of(kW1).members_size();
  cluster.kill(kW2);
  for (int i = 0; i < kStepsMax && cluster.step_of(kW1).members_size() == sent; ++i) {
    cluster.run_steps(1);
  }
  EXPECT_EQ(cluster.step_of(kW1).iteration(), iteration);
  EXPECT_EQ(items_of(cluster.step_of(kW1)), before);
  // From then on it also gets its share of the other work.
  for (int i = 0; i < kStepsMax && cluster.step_of(kW1).iteration() == iteration; ++i) {
    cluster.run_steps(1);
  }
  EXPECT_NE(items_of(cluster.step_of(kW1)), before);
}

std::uint64_t samples_of(const proto::Step& step) {
  std::uint64_t samples = 0;
  for (const proto::WorkItem& item : step.items()) samples += item.count();
  return samples;
}

// With fixed settings two workers take 4 batches of 8 each. Then there are four workers.
TEST(TrainerPolicies, AnotherNumberOfWorkersChangesStepsOrRateAndTheLogSaysSo) {
  struct Case {
    elastic::OnResize rule;
    std::uint64_t samples;
    double rate;
    const char* said;
  };
  for (const Case& c : {Case{elastic::OnResize::kKeepBatch, 16, 1, "each takes 2 local steps"},
                        Case{elastic::OnResize::kScaleRate, 32, 2, "rate is 2 times as high"},
                        Case{elastic::OnResize::kNone, 32, 1, "at the same learning rate"}}) {
    JobConfig config = config_of({.rebalance = false, .cut_off = false});
    config.job.train.on_resize = c.rule;
    config.job.train.passes_max = 50;
    config.chunks_for_workers = 2;
    config.plan = hand_plan({}, 0.0001);
    Session session(config);
    session.compute(64);
    EXPECT_EQ(session.cluster.last_step().rate(), 1);
    session.cluster.join();
    session.cluster.join();
    session.compute(400);
    EXPECT_EQ(samples_of(session.cluster.last_step()), c.samples);
    EXPECT_EQ(session.cluster.last_step().rate(), c.rate);
    EXPECT_THAT(
        session.cluster.log_lines(),
        Contains(AllOf(HasSubstr("4 workers, and local_steps is set for 2"), HasSubstr(c.said))));
  }
}

// Planned for two workers: a remaining single worker takes as many samples as both would.
TEST(TrainerPolicies, APlanIsMeantForItsOwnNumberOfWorkers) {
  JobConfig config = config_of({.rebalance = false, .cut_off = false});
  config.chunks_for_workers = 2;
  config.job.train.passes_max = 50;
  config.plan = hand_plan(2, 0.0001);
  Session session(config);
  session.compute(64);
  EXPECT_EQ(samples_of(session.cluster.last_step()), 32u);
  session.cluster.kill(kW2);
  session.cluster.run_steps(0);
  session.compute(200);
  EXPECT_EQ(samples_of(session.cluster.last_step()), 64u);
}

// The setting must be the same for all workers, and has no meaning for a single worker.
TEST(TrainerPolicies, TheLineIsSearchedWhereUpdatesOfSeveralAreAdded) {
  for (const job::Aggregation aggregation :
       {job::Aggregation::kSafe, job::Aggregation::kAccelerated}) {
    JobConfig config = config_of({});
    config.job.train.solver = job::Solver::kCocoa;
    config.job.train.aggregation = aggregation;
    config.job.train.passes_max = 50;
    Session session(config);
    session.compute(960);
    EXPECT_EQ(session.cluster.last_step().line_search(),
              aggregation == job::Aggregation::kAccelerated);
    session.cluster.kill(kW2);
    session.cluster.run_steps(0);
    session.compute(4000);
    EXPECT_FALSE(session.cluster.last_step().line_search());
  }
  Session averages(config_of({}));
  averages.compute(200);
  EXPECT_FALSE(averages.cluster.last_step().line_search());
}

// Each worker has 24 chunks.
TEST(TrainerPolicies, TasksOfAllWorkersAreCountedAndNoneIsWithoutAChunk) {
  for (const std::uint32_t tasks : {1u, 8u, 100u}) {
    JobConfig config = config_of({.rebalance = false, .cut_off = false});
    config.job.train.solver = job::Solver::kCocoa;
    config.job.train.tasks_per_node = tasks;
    Session session(config);
    session.compute(960);
    EXPECT_EQ(session.cluster.last_step().tasks_per_node(), tasks);
    EXPECT_EQ(session.cluster.last_step().tasks(), 2 * std::min(tasks, 24u));
  }
}

// There are 48 chunks: the machine does not cut the data.
TEST(TrainerPolicies, EachMicroTaskLearnsByItself) {
  JobConfig config = config_of({.rebalance = false, .cut_off = false});
  config.job.train.solver = job::Solver::kCocoa;
  config.job.train.micro_tasks = 48;
  Session session(config);
  session.compute(960);
  EXPECT_EQ(session.cluster.last_step().tasks(), 48u);
  session.cluster.kill(kW2);
  session.cluster.run_steps(0);
  session.compute(4000);
  EXPECT_EQ(session.cluster.last_step().tasks(), 48u);
  EXPECT_GE(session.cluster.last_step().tasks_per_node(), 48u);
}

TEST(TrainerPolicies, APassOfCocoaThatWasCutShortIsOverAndNoSampleWasVisitedTwice) {
  JobConfig config = config_of({.rebalance = false});
  config.job.train.solver = job::Solver::kCocoa;
  Session session(config);
  FakeCluster& cluster = session.cluster;
  for (const WorkerId worker : {kW1, kW2}) cluster.set_seconds_per_sample(worker, 0.01);
  session.compute(3 * 960);
  cluster.set_seconds_per_sample(kW2, 0.05);
  session.compute(960);
  cluster.run_steps(2);
  std::map<std::uint32_t, std::uint64_t> of_pass;
  for (const auto& [sample, visits] : cluster.visits()) {
    EXPECT_EQ(visits, 1);
    ++of_pass[sample.first];
  }
  EXPECT_EQ(of_pass[0], 1920u);
  EXPECT_EQ(of_pass[3], 960u + 240);  // Cut off at 1.25 times 9.6 s: 12 s of 0.05 s per sample.
}

}  // namespace trainer_policies_test
}  // namespace surety::orchestrator
