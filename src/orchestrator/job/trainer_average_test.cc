// The passes at the beginning and the end of an iteration, which workers receive for the average of
// models.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace trainer_average_test {

JobConfig config_of(job::Solver solver = job::Solver::kLocalSgd) {
  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, 0.0001);
  config.job.train.solver = solver;
  return config;
}

void join_two(FakeCluster& cluster) {
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
}

// Collects the first steps of `count` iterations.
std::vector<proto::Step> steps_of(FakeCluster& cluster, std::size_t count) {
  std::vector<proto::Step> steps;
  for (int i = 0; i < 10000 && steps.size() < count; ++i) {
    cluster.run_steps(1);
    const proto::Step& step = cluster.last_step();
    if (step.iteration() == 0) continue;
    if (steps.empty() || steps.back().iteration() != step.iteration()) steps.push_back(step);
  }
  EXPECT_EQ(steps.size(), count);
  return steps;
}

// A pass has 7 iterations of 32 samples and one of 16: two workers with 16 of 240 samples each.
TEST(TrainerAverage, EachIterationBeginsInTheDataWhereTheOneBeforeEnded) {
  FakeCluster cluster(config_of(), begun(config_of()));
  join_two(cluster);
  double end = 0;
  for (const proto::Step& step : steps_of(cluster, 20)) {
    ASSERT_TRUE(step.has_average());
    EXPECT_EQ(step.average().passes(), 2);
    EXPECT_NEAR(step.average().begin(), end, 1e-12);
    end = step.average().end();
    const double samples = (end - step.average().begin()) * 240;
    EXPECT_TRUE(std::abs(samples - 32) < 1e-9 || std::abs(samples - 16) < 1e-9) << samples;
  }
  EXPECT_GT(end, 2);
}

TEST(TrainerAverage, AnIterationThatIsDoneAgainBeginsWhereItBegan) {
  FakeCluster cluster(config_of(), begun(config_of()));
  join_two(cluster);
  const proto::Step before = steps_of(cluster, 3).back();
  cluster.kill(WorkerId{2});
  for (int i = 0; i < 100 && cluster.last_step().members_size() != 1; ++i) cluster.run_steps(1);
  const proto::Step& again = cluster.last_step();
  ASSERT_EQ(again.members_size(), 1);
  ASSERT_EQ(again.iteration(), before.iteration());
  EXPECT_EQ(again.average().begin(), before.average().begin());
}

TEST(TrainerAverage, TrainingThatGoesBackToACheckpointBeginsBehindItsPasses) {
  FakeCluster cluster(config_of(), begun(config_of()));
  join_two(cluster);
  while (cluster.machine().state().checkpoints.size() < 2) cluster.run_steps(1);
  steps_of(cluster, 3);  // These are steps of the third pass.
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  const std::uint32_t kept = cluster.machine().state().checkpoints.back().pass();
  for (int i = 0; i < 1000 && cluster.last_step().members_size() != 1; ++i) cluster.run_steps(1);
  EXPECT_GE(kept, 2u);
  EXPECT_EQ(cluster.last_step().iteration(), 1u);
  EXPECT_EQ(cluster.last_step().average().begin(), kept);
}

TEST(TrainerAverage, SwitchedOffOrOfALinearModelThereIsNone) {
  JobConfig off = config_of();
  off.job.train.average_passes.reset();
  for (const JobConfig& config : {off, config_of(job::Solver::kCocoa)}) {
    FakeCluster cluster(config, begun(config));
    join_two(cluster);
    EXPECT_FALSE(steps_of(cluster, 1).front().has_average());
  }
}

}  // namespace trainer_average_test
}  // namespace surety::orchestrator
