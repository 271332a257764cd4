// Lost workers are replaced, within bounds, and a surplus worker is dismissed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_replace_test {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kPlenty = 100000;

JobConfig config_of(std::uint32_t workers, RunMode mode = RunMode::kTrain) {
  JobConfig config = small_config(workers);
  config.mode = mode;
  if (mode == RunMode::kTrain) config.plan = hand_plan({}, 0.25);
  return config;
}

// Three workers train.
FakeCluster training(const JobConfig& config = config_of(3)) {
  FakeCluster cluster = running(config, 3);
  cluster.run_steps(10);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kTrain);
  return cluster;
}

// The Hello of the process that was this worker.
WorkerHello call_of(const FakeCluster& cluster, WorkerId before) {
  WorkerHello event{.connection = 100 + before.value, .hello = {}, .origin = Origin::kCallsAgain};
  event.hello.set_transport_address("nowhere:1");
  event.hello.set_run(cluster.last_welcome().run());
  event.hello.set_term(cluster.last_welcome().term());
  event.hello.set_worker(before.value);
  return event;
}

std::size_t lines_with(const FakeCluster& cluster, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cluster.log_lines(),
      [&](const std::string& line) { return line.find(text) != std::string::npos; }));
}

TEST(JobReplace, ALostWorkerIsReplacedAlthoughEnoughAreLeftForWorkersMin) {
  FakeCluster cluster = training();
  cluster.kill(WorkerId{1});
  EXPECT_EQ(cluster.started(), 4u);
  EXPECT_THAT(cluster.log_lines(),
              Contains("1 worker of type local is started, because it replaces a lost one"));
  cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.started(), 4u);
}

TEST(JobReplace, AllThatAreLostAtOnceAreReplaced) {
  FakeCluster cluster = training();
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  EXPECT_EQ(cluster.started(), 6u);
}

TEST(JobReplace, InAPoolOfAttemptsTooBeforeItsFirstDecisionAndAfterIt) {
  for (const bool chooses_nodes : {false, true}) {
    JobConfig config = config_of(3, RunMode::kRun);
    config.job.promise.target = 0.2;
    if (chooses_nodes) config.job.profile.workers = {3, 2};
    FakeCluster cluster = training(config);
    cluster.kill(WorkerId{1});
    EXPECT_EQ(cluster.started(), 4u) << chooses_nodes;
    cluster.join();
    while (cluster.machine().state().passes.size() < 2 && !cluster.ended()) cluster.run_steps(1);
    const std::size_t there = cluster.alive().size();
    cluster.kill(*cluster.alive().begin());
    cluster.pass_time(2);
    EXPECT_EQ(cluster.started(), 5u) << chooses_nodes;
    cluster.join();
    EXPECT_EQ(cluster.alive().size(), there) << chooses_nodes;
  }
}

TEST(JobReplace, WhoWasAskedToLeaveIsNotReplaced) {
  FakeCluster cluster = training();
  cluster.ask_to_leave(WorkerId{1});
  cluster.run_steps(30);
  cluster.pass_time(10);
  EXPECT_EQ(cluster.alive().size(), 2u);
  EXPECT_EQ(cluster.started(), 3u);
  // The place is also not restored when another worker is lost.
  cluster.kill(WorkerId{2});
  EXPECT_EQ(cluster.started(), 4u);
}

TEST(JobReplace, WhoJoinedFromElsewhereIsNotReplaced) {
  FakeCluster cluster = training();
  cluster.join();
  ASSERT_EQ(cluster.alive().size(), 4u);
  cluster.kill(WorkerId{4});
  cluster.pass_time(10);
  EXPECT_EQ(cluster.started(), 3u);
}

// When the first of them is lost, no other worker is present any more, but the other one will be
// replaced.
TEST(JobReplace, TwoThatFallSilentAtOnceEndNoRunIfOneOfThemIsReplaced) {
  FakeCluster cluster = running(config_of(1), 1);
  cluster.run_steps(10);
  cluster.join();  // This worker comes from elsewhere.
  cluster.kill(WorkerId{1});
  cluster.join();
  cluster.run_steps(10);
  ASSERT_EQ(cluster.alive().size(), 2u);
  ASSERT_EQ(cluster.started(), 2u);
  cluster.pass_silence(30);
  EXPECT_EQ(cluster.alive().size(), 0u);
  EXPECT_FALSE(cluster.ended()) << cluster.ended()->reason;
  EXPECT_EQ(cluster.started(), 3u);
}

TEST(JobReplace, AWorkerThatIsOnlySilentMayCallAgainFirst) {
  FakeCluster cluster = training();
  cluster.disconnect(WorkerId{1});
  cluster.pass_time(2.5);
  EXPECT_EQ(cluster.started(), 3u);
  cluster.pass_time(1);
  EXPECT_EQ(cluster.started(), 4u);
}

TEST(JobReplace, WhoCallsAgainInTimeHasNoSuccessor) {
  FakeCluster cluster = training();
  cluster.disconnect(WorkerId{1});
  cluster.pass_time(2);
  cluster.feed(call_of(cluster, WorkerId{1}));
  cluster.pass_time(10);
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.started(), 3u);
  EXPECT_EQ(cluster.byes(), 0);
}

TEST(JobReplace, WhoCallsAgainAfterItsSuccessorJoinedIsDismissed) {
  FakeCluster cluster = training();
  cluster.disconnect(WorkerId{1});
  cluster.pass_time(3.5);
  cluster.join();
  EXPECT_EQ(cluster.alive().size(), 3u);
  cluster.feed(call_of(cluster, WorkerId{1}));
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.byes(), 1);
  EXPECT_THAT(cluster.log_lines(),
              Contains("worker 5 is dismissed: another worker has taken its place"));
  EXPECT_EQ(cluster.journal().back().worker_gone().kind(), "leave");
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(cluster.started(), 4u);
}

TEST(JobReplace, ASuccessorThatComesLaterThanTheLostWorkerIsDismissed) {
  FakeCluster cluster = training();
  cluster.disconnect(WorkerId{1});
  cluster.pass_time(3.5);
  cluster.feed(call_of(cluster, WorkerId{1}));
  EXPECT_EQ(cluster.alive().size(), 4u - 1u);
  EXPECT_EQ(cluster.byes(), 0);
  cluster.join();
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.byes(), 1);
}

TEST(JobReplace, AllThatWereTakenForLostAndCallAgainAreAsManyAsBefore) {
  FakeCluster cluster = training();
  for (std::uint32_t worker = 1; worker <= 3; ++worker) cluster.disconnect(WorkerId{worker});
  cluster.pass_time(3.5);
  ASSERT_EQ(cluster.started(), 6u);
  for (std::uint32_t worker = 1; worker <= 3; ++worker) {
    cluster.feed(call_of(cluster, WorkerId{worker}));
  }
  for (int successor = 0; successor < 3; ++successor) cluster.join();
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.byes(), 3);
}

TEST(JobReplace, AWorkerThatDiesAgainAndAgainIsGivenUpAndTheRunGoesOnWithFewer) {
  FakeCluster cluster = training();
  cluster.kill(WorkerId{1});
  for (std::uint32_t restart = 1; restart <= Places::kRestartsMax; ++restart) {
    ASSERT_EQ(cluster.started(), 3 + restart);
    cluster.join();
    cluster.kill(*cluster.alive().rbegin());
    cluster.pass_time(10);
  }
  EXPECT_EQ(cluster.started(), 3 + Places::kRestartsMax);
  EXPECT_EQ(lines_with(cluster, "so it is not started again: continuing with 2 workers"), 1u);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(cluster.alive().size(), 2u);
}

// ---- while the first workers are gathered -------------------------------------------------------

FakeCluster gathering() {
  const JobConfig config = config_of(3);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  return cluster;
}

TEST(JobReplace, WhoHasJoinedAndDiesWhileOthersAreGatheredIsReplaced) {
  FakeCluster cluster = gathering();
  cluster.join();
  cluster.join();
  cluster.kill(WorkerId{1});
  cluster.kill(WorkerId{2});
  cluster.end_before_joining();
  EXPECT_FALSE(cluster.ended());
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kGather);
  EXPECT_EQ(cluster.started(), 6u);
  for (int worker = 0; worker < 3; ++worker) cluster.join();
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(cluster.alive().size(), 3u);
}

TEST(JobReplace, WhoWaitsForItsRestartIsWaitedForLikeTheOthers) {
  FakeCluster cluster = gathering();
  cluster.join();
  cluster.join();
  cluster.end_before_joining();
  cluster.end_before_joining();  // The next process is started after a second.
  EXPECT_EQ(cluster.started(), 4u);
  cluster.pass_time(0.5);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kGather);
  EXPECT_EQ(cluster.machine().view().waits_for->what, "2 of 3 workers have joined");
  cluster.pass_time(1);
  EXPECT_EQ(cluster.started(), 5u);
}

TEST(JobReplace, WhoLeavesWhileOthersAreGatheredIsNotReplaced) {
  FakeCluster cluster = gathering();
  cluster.join();
  cluster.ask_to_leave(WorkerId{1});
  cluster.pass_time(10);
  EXPECT_EQ(cluster.started(), 3u);
}

// ---- processes of an earlier coordinator --------------------------------------------------------

TEST(JobReplace, WhoWasLeftByTheLastCoordinatorAndDiesBeforeItCallsIsReplaced) {
  const JobConfig config = config_of(3);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{.remaining = {{"local", 3}}});
  cluster.feed(WorkerProcessEnded{"worker process 1: signal 9 (Killed)", 2, "local"});
  EXPECT_EQ(cluster.started(), 1u);
}

TEST(JobReplace, OfMoreProcessesThanMayRunTheLastToCallIsDismissed) {
  const JobConfig config = config_of(3);
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{.remaining = {{"local", 4}}});
  for (std::uint64_t connection = 1; connection <= 4; ++connection) {
    WorkerHello hello{.connection = connection, .hello = {}, .origin = Origin::kStarted};
    hello.hello.set_transport_address("nowhere:1");
    cluster.feed(hello);
  }
  EXPECT_EQ(cluster.alive().size(), 3u);
  EXPECT_EQ(cluster.byes(), 1);
  EXPECT_EQ(cluster.machine().state().phase, RunPhase::kTrain);
}

}  // namespace job_replace_test
}  // namespace surety::orchestrator
