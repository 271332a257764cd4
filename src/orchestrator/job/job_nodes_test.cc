// How a job gets the nodes that its plan names, and releases others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/job/fake_cluster_test.h"
#include "orchestrator/job/job_machine.h"

namespace surety::orchestrator {
namespace job_nodes_test {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using Counts = std::vector<plan::NodeCount>;

constexpr int kPlenty = 100000;
constexpr const char* kSteady = "on-demand";
constexpr const char* kSpot = "spot";

// A job with two on-demand workers at 3/s and two spot workers at 1/s here.
JobConfig two_types() {
  JobConfig config = small_config(0);
  job::NodeTypeSpec steady;
  steady.name = kSteady;
  steady.local = 2;
  steady.price_per_s = 3;
  job::NodeTypeSpec spot = steady;
  spot.name = kSpot;
  spot.price_per_s = 1;
  config.job.cluster.nodes = {steady, spot};
  return config;
}

plan::Block block(std::uint32_t passes, Counts counts) {
  plan::Block block{.version = "full", .passes = passes, .nodes = 0, .counts = std::move(counts)};
  for (const plan::NodeCount& count : block.counts) *block.nodes += count.count;
  return block;
}

FakeCluster training(std::vector<plan::Block> blocks, std::uint32_t workers_min = 1) {
  JobConfig config = two_types();
  config.job.cluster.workers_min = workers_min;
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, 0.3);
  config.plan->blocks = std::move(blocks);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  return cluster;
}

std::size_t passes(FakeCluster& cluster) {
  return cluster.machine().state().record.measurements.size();
}

void train_until(FakeCluster& cluster, std::size_t count) {
  for (int step = 0; step < 1000 && passes(cluster) < count; ++step) cluster.run_steps(1);
  ASSERT_EQ(passes(cluster), count);
}

TEST(JobNodes, APlanGoesFromSpotToOnDemandOneForOne) {
  FakeCluster cluster = training({block(2, {{kSpot, 2}}), block(50, {{kSteady, 2}})});
  EXPECT_EQ(cluster.orders(), (Counts{{kSpot, 2}}));
  cluster.join(kSpot);
  cluster.join(kSpot);
  train_until(cluster, 2);
  cluster.run_steps(12);
  EXPECT_EQ(cluster.orders(), (Counts{{kSpot, 2}, {kSteady, 2}}));
  // They continue to train until the others have joined.
  EXPECT_EQ(cluster.nodes(), (Counts{{kSpot, 2}}));
  cluster.join(kSteady);
  cluster.run_steps(12);
  EXPECT_EQ(cluster.nodes(), (Counts{{kSteady, 1}, {kSpot, 1}}));
  EXPECT_THAT(cluster.log_lines(),
              Contains("worker 2 is released: training continues with 2 on-demand"));
  cluster.join(kSteady);
  cluster.run_steps(kPlenty);
  EXPECT_EQ(cluster.nodes(), (Counts{{kSteady, 2}}));
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  for (const auto& [visit, count] : cluster.visits()) ASSERT_EQ(count, 1);
  EXPECT_EQ(cluster.orders().size(), 2u);
}

TEST(JobNodes, ALostSpotWorkerIsReplacedBySpot) {
  FakeCluster cluster = training({block(50, {{kSpot, 2}})});
  cluster.join(kSpot);
  cluster.join(kSpot);
  train_until(cluster, 1);
  cluster.kill(WorkerId{1});
  EXPECT_EQ(cluster.orders(), (Counts{{kSpot, 2}, {kSpot, 1}}));
  EXPECT_THAT(cluster.log_lines(),
              Contains("1 worker of type spot is started, because training continues with 2 spot"));
  cluster.join(kSpot);
  cluster.run_steps(kPlenty);
  EXPECT_EQ(cluster.nodes(), (Counts{{kSpot, 2}}));
  EXPECT_EQ(cluster.orders().size(), 2u);
}

TEST(JobNodes, ATypeThatCannotBeStartedIsSaidOnceAndTrainingGoesOn) {
  FakeCluster cluster = training({block(2, {{kSpot, 2}}), block(50, {{kSteady, 2}})});
  cluster.join(kSpot);
  cluster.join(kSpot);
  train_until(cluster, 2);
  cluster.run_steps(12);
  ASSERT_EQ(cluster.orders(), (Counts{{kSpot, 2}, {kSteady, 2}}));
  cluster.feed(WorkersNotStarted{{kSteady, 2}, "no such program"});
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(cluster.nodes(), (Counts{{kSpot, 2}}));
  EXPECT_EQ(cluster.orders().size(), 2u);
  EXPECT_THAT(cluster.log_lines(), Contains("2 on-demand cannot be started: no such program"));
  const std::string lacks = "cannot start 2 on-demand here: training continues with 2 spot";
  EXPECT_EQ(std::count(cluster.log_lines().begin(), cluster.log_lines().end(), lacks), 1);
}

TEST(JobNodes, WhenNoWorkerCanBeStartedTheRunFails) {
  FakeCluster cluster = training({block(50, {{kSpot, 2}})});
  cluster.feed(WorkersNotStarted{{kSpot, 2}, "no such program"});
  // An on-demand worker is better than none.
  EXPECT_EQ(cluster.orders(), (Counts{{kSpot, 2}, {kSteady, 1}}));
  EXPECT_FALSE(cluster.ended());
  cluster.feed(WorkersNotStarted{{kSteady, 1}, "no such program"});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kFailed);
  EXPECT_THAT(cluster.ended()->reason, HasSubstr("no such program"));
}

TEST(JobNodes, ReleasesStopAtTheSmallestNumberOfWorkers) {
  FakeCluster cluster = training({block(2, {{kSpot, 2}}), block(50, {{kSpot, 1}})}, 2);
  cluster.join(kSpot);
  cluster.join(kSpot);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.nodes(), (Counts{{kSpot, 2}}));
}

TEST(JobNodes, TheProfileIsMadeOnTheFirstTypeAndOthersWaitForThePlan) {
  JobConfig config = two_types();
  config.mode = RunMode::kProfile;
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  EXPECT_EQ(cluster.orders(), (Counts{{kSteady, 2}}));
  cluster.join(kSpot);  // A worker from elsewhere.
  cluster.join(kSteady);
  cluster.join(kSteady);
  cluster.run_steps(60);
  ASSERT_EQ(cluster.machine().state().phase, RunPhase::kProfile);
  EXPECT_EQ(cluster.machine().view().workers, 2u);
  // Both directions between the two.
  EXPECT_EQ(cluster.machine().state().profile_runs.finished.links.size(), 2u);
  cluster.run_steps(kPlenty);
  const plan::Profile& profile = cluster.machine().state().profile_runs.finished;
  ASSERT_FALSE(profile.curves.empty());
  for (const plan::CurvePoint& point : profile.curves) {
    if (point.pass > 0) {
      EXPECT_EQ(point.workers, 2u);
    }
  }
  for (const plan::NodeSpeed& speed : profile.nodes) EXPECT_EQ(speed.type, kSteady);
}

TEST(JobNodes, ARunsPassesGoOnTheCheapestNodesThatDo) {
  JobConfig config = two_types();
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  cluster.join(kSpot);
  cluster.join(kSteady);
  cluster.join(kSteady);
  cluster.run_steps(kPlenty);
  const RunState& state = cluster.machine().state();
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete) << cluster.ended()->reason;
  // Spot is as fast and costs a third. One on-demand worker is released for the spot worker that is
  // present; the other stays until the requested spot worker has joined.
  EXPECT_EQ(cluster.nodes(), (Counts{{kSteady, 1}, {kSpot, 1}}));
  EXPECT_EQ(cluster.orders(), (Counts{{kSteady, 2}, {kSpot, 1}}));
  EXPECT_EQ(certificate::verdict(state.record), certificate::Verdict::kKept);
}

TEST(JobNodes, ALossNowAndThenIsAlwaysMadeUpFor) {
  FakeCluster cluster = training({block(50, {{kSpot, 1}})});
  cluster.join(kSpot);
  for (std::size_t pass = 1; pass <= 8; ++pass) {
    train_until(cluster, pass);
    cluster.run_steps(2);  // It writes its checkpoint.
    for (int loss = 0; loss < 2; ++loss) {
      cluster.kill(*cluster.alive().begin());
      cluster.pass_time(Places::kPauseMaxS + 1);
      ASSERT_EQ(cluster.orders().size(), 2 * pass + static_cast<std::size_t>(loss));
      cluster.join(kSpot);
    }
  }
}

TEST(JobNodes, AResumedRunStartsTheNodesOfTheBlockThatItIsIn) {
  FakeCluster first = training({block(2, {{kSpot, 2}}), block(50, {{kSteady, 2}})});
  first.join(kSpot);
  first.join(kSpot);
  train_until(first, 4);
  first.run_steps(4);
  JobConfig config = two_types();
  config.mode = RunMode::kTrain;
  RunState state = begun(config);
  for (const auto& record : first.journal()) {
    ASSERT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  }
  ASSERT_EQ(state.checkpoints.back().block(), 1u);
  FakeCluster second(config, state);
  second.feed(Started{});
  EXPECT_EQ(second.orders(), (Counts{{kSteady, 2}}));
}

TEST(JobNodes, AProfileStartsNoMoreThanItMeasures) {
  JobConfig config = two_types();
  config.job.profile.workers = {1};
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  EXPECT_EQ(cluster.orders(), (Counts{{kSteady, 1}}));
}

TEST(JobNodes, AWaitingWorkerMayLeaveBeforeThereIsAPlan) {
  JobConfig config = two_types();
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  cluster.join(kSpot);
  cluster.ask_to_leave(WorkerId{1});
  EXPECT_THAT(cluster.nodes(), IsEmpty());
}

TEST(JobNodes, AWorkerThatDiesAtOnceIsNotStartedForEver) {
  FakeCluster cluster = training({block(50, {{kSpot, 1}})});
  cluster.join(kSpot);
  cluster.run_steps(5);
  for (int death = 0; death < 100 && !cluster.ended(); ++death) {
    cluster.kill(*cluster.alive().begin());
    cluster.pass_time(10);
    if (!cluster.ended()) cluster.join(kSpot);
  }
  // A spot worker at first, three in its place, and then an on-demand worker and three in its
  // place.
  EXPECT_EQ(cluster.orders().size(), 8u);
}

}  // namespace job_nodes_test
}  // namespace surety::orchestrator
