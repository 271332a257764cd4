// Coordinators and workers that lose each other and reconnect.
#include <gmock/gmock.h>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_return_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kPlenty = 100000;

JobConfig config_of(std::uint32_t workers) {
  JobConfig config = small_config(workers);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, 0.45);
  return config;
}

// The state that a resuming coordinator finds if these workers were present.
RunState resumed(const JobConfig& config, std::uint32_t ours, std::uint32_t joined_by_themselves) {
  RunState state = begun(config);
  std::vector<proto::JournalRecord> records;
  for (std::uint32_t worker = 1; worker <= ours + joined_by_themselves; ++worker) {
    proto::JournalRecord record;
    record.mutable_worker_joined()->set_worker(worker);
    record.mutable_worker_joined()->set_joined_by_itself(worker > ours);
    records.push_back(record);
  }
  records.emplace_back().mutable_run_resumed()->set_term(2);
  for (const auto& record : records) {
    EXPECT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  }
  return state;
}

// The Hello of a worker that had the id `before` in the run.
WorkerHello call_of(const FakeCluster& cluster, const RunState& state, std::uint32_t before,
                    Origin origin) {
  WorkerHello event{.connection = 100 + before, .hello = {}, .origin = origin};
  event.hello.set_transport_address("nowhere:1");
  event.hello.set_run(identity(state));
  event.hello.set_worker(before);
  event.hello.set_term(cluster.last_welcome().term());
  return event;
}

std::uint32_t lost(const FakeCluster& cluster) {
  std::uint32_t count = 0;
  for (const auto& record : cluster.journal()) {
    count += record.has_worker_gone() && record.worker_gone().kind() == "lost";
  }
  return count;
}

TEST(JobReturn, WorkersThatAreLeftAreAwaitedAndNoOthersStarted) {
  const JobConfig config = config_of(3);
  const RunState state = resumed(config, 3, 0);
  FakeCluster cluster(config, state);
  cluster.feed(Started{.remaining = {{"local", 3}}});
  EXPECT_EQ(cluster.started(), 0u);
  for (std::uint32_t worker = 1; worker <= 3; ++worker) {
    EXPECT_EQ(cluster.machine().view().phase, RunPhase::kGather);
    cluster.feed(call_of(cluster, state, worker, Origin::kStarted));
  }
  EXPECT_EQ(cluster.machine().view().phase, RunPhase::kTrain);
  EXPECT_EQ(cluster.started(), 0u);
  EXPECT_EQ(cluster.machine().state().workers.last_id, 6u);
}

TEST(JobReturn, WorkersThatDoNotFindThisCoordinatorAreEndedBeforeOthersAreStarted) {
  const JobConfig config = config_of(3);
  JobMachine machine(config, resumed(config, 3, 0));
  std::vector<std::string> done;
  for (const Effect& effect :
       machine.step(1, Started{.remaining = {{"local", 3}}, .remaining_find_us = false})) {
    if (std::holds_alternative<EndRemainingWorkers>(effect)) done.push_back("ended");
    const auto* start = std::get_if<StartWorkers>(&effect);
    if (start != nullptr) done.push_back(fmt::format("started {}", start->nodes.count));
  }
  EXPECT_THAT(done, ElementsAre("ended", "started 3"));
}

TEST(JobReturn, WhoDiedWithTheCoordinatorIsStartedAnew) {
  const JobConfig config = config_of(3);
  FakeCluster cluster(config, resumed(config, 3, 0));
  cluster.feed(Started{.remaining = {{"local", 2}}});
  EXPECT_EQ(cluster.started(), 1u);
}

TEST(JobReturn, AWorkerThatDoesNotCallBackIsAwaitedForThreeSeconds) {
  const JobConfig config = config_of(2);
  const RunState state = resumed(config, 2, 0);
  FakeCluster cluster(config, state);
  cluster.feed(Started{.remaining = {{"local", 2}}});
  cluster.feed(call_of(cluster, state, 1, Origin::kStarted));
  cluster.pass_time(2.5);
  EXPECT_EQ(cluster.machine().view().phase, RunPhase::kGather);
  cluster.pass_time(1);
  EXPECT_EQ(cluster.machine().view().phase, RunPhase::kTrain);
}

TEST(JobReturn, VisitorsThatWereThereAreAwaitedToo) {
  const JobConfig config = config_of(1);
  const RunState state = resumed(config, 1, 2);
  EXPECT_EQ(state.workers.joined_by_itself_away, 2u);
  FakeCluster cluster(config, state);
  cluster.feed(Started{.remaining = {{"local", 1}}});
  cluster.feed(call_of(cluster, state, 1, Origin::kStarted));
  cluster.feed(call_of(cluster, state, 2, Origin::kJoinedByItself));
  EXPECT_EQ(cluster.machine().view().phase, RunPhase::kGather);
  cluster.feed(call_of(cluster, state, 3, Origin::kJoinedByItself));
  EXPECT_EQ(cluster.machine().view().phase, RunPhase::kTrain);
}

// Two workers that train.
struct Training {
  const JobConfig config = config_of(2);
  const RunState state = begun(config);
  FakeCluster cluster{config, state};
  Training() {
    cluster.feed(Started{});
    cluster.join();
    cluster.join();
    cluster.run_steps(10);
  }
};

TEST(JobReturn, WhoCallsAgainTakesTheOldOnesPlace) {
  Training training;
  FakeCluster& cluster = training.cluster;
  WorkerHello again = call_of(cluster, training.state, 1, Origin::kCallsAgain);
  // The worker calls again before the coordinator has noticed the broken connection.
  cluster.feed(again);
  EXPECT_EQ(lost(cluster), 1u);
  EXPECT_EQ(cluster.alive(), (std::set<WorkerId>{WorkerId{2}, WorkerId{3}}));
  EXPECT_EQ(cluster.started(), 2u);
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

// It still has its samples, so no other worker reads them meanwhile. It had to hand over its
// chunks, and lost its connection before.
TEST(JobReturn, WhoCallsAgainAfterItWasReleasedHoldsNobodyUp) {
  Training training;
  FakeCluster& cluster = training.cluster;
  cluster.ask_to_leave(WorkerId{1});
  WorkerHello again = call_of(cluster, training.state, 1, Origin::kCallsAgain);
  cluster.feed(again);
  EXPECT_EQ(cluster.alive(), std::set<WorkerId>{WorkerId{2}});
  cluster.run_steps(kPlenty);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
}

TEST(JobReturn, WhoCallsAgainKeepsItsChunks) {
  Training training;
  FakeCluster& cluster = training.cluster;
  const std::set<std::uint32_t> its = cluster.owned(WorkerId{1});
  const std::set<std::uint32_t> others = cluster.owned(WorkerId{2});
  EXPECT_FALSE(its.empty());
  WorkerHello again = call_of(cluster, training.state, 1, Origin::kCallsAgain);
  for (const std::uint32_t chunk : its) again.hello.add_chunks(chunk);
  cluster.feed(again);
  EXPECT_EQ(cluster.owned(WorkerId{3}), its);
  EXPECT_EQ(cluster.owned(WorkerId{2}), others);
}

TEST(JobReturn, AWorkerOfAnotherRunIsNotTakenForOneOfThisOne) {
  const JobConfig config = config_of(2);
  const RunState state = begun(config);
  FakeCluster cluster(config, state);
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
  WorkerHello stranger = call_of(cluster, state, 1, Origin::kJoinedByItself);
  stranger.hello.set_run("another one");
  stranger.hello.set_term(7);
  cluster.feed(stranger);
  EXPECT_FALSE(cluster.ended());
  EXPECT_EQ(lost(cluster), 0u);
  EXPECT_EQ(cluster.alive().size(), 3u);
}

TEST(JobReturn, AnInvitedWorkerCannotTakeThePlaceOfAnotherOne) {
  Training training;
  FakeCluster& cluster = training.cluster;
  WorkerHello impostor = call_of(cluster, training.state, 1, Origin::kJoinedByItself);
  impostor.invitation = "gpu-3";
  cluster.feed(impostor);
  EXPECT_EQ(lost(cluster), 0u);
  EXPECT_EQ(cluster.alive(), (std::set<WorkerId>{WorkerId{1}, WorkerId{2}, WorkerId{3}}));
  // It is worker 3 now, so it can call again as that one, and gpu-4 cannot.
  WorkerHello other = call_of(cluster, training.state, 3, Origin::kJoinedByItself);
  other.connection += 100;
  other.invitation = "gpu-4";
  cluster.feed(other);
  EXPECT_EQ(lost(cluster), 0u);
  WorkerHello again = call_of(cluster, training.state, 3, Origin::kJoinedByItself);
  again.connection += 200;
  again.invitation = "gpu-3";
  cluster.feed(again);
  EXPECT_EQ(lost(cluster), 1u);
}

TEST(JobReturn, AnInvitedWorkerCannotEndACoordinatorByClaimingALaterOne) {
  Training training;
  WorkerHello wiser = call_of(training.cluster, training.state, 1, Origin::kJoinedByItself);
  wiser.invitation = "gpu-3";
  wiser.hello.set_term(7);
  training.cluster.feed(wiser);
  EXPECT_FALSE(training.cluster.ended());
}

TEST(JobReturn, AnOlderCoordinatorGivesWayAndSaysByeToNobody) {
  const JobConfig config = config_of(2);
  const RunState state = begun(config);
  FakeCluster cluster(config, state);
  cluster.feed(Started{});
  cluster.join();
  WorkerHello wiser = call_of(cluster, state, 1, Origin::kStarted);
  wiser.hello.set_term(2);
  cluster.feed(wiser);
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kTakenOver);
  EXPECT_THAT(cluster.ended()->reason, HasSubstr("coordinator 2 leads this run"));
  EXPECT_EQ(cluster.byes(), 0);
}

TEST(JobReturn, NumbersOfALaterCoordinatorAreAboveAllOfTheOnesBefore) {
  const JobConfig config = config_of(1);
  const RunState state = resumed(config, 1, 0);
  FakeCluster cluster(config, state);
  cluster.feed(Started{.remaining = {{"local", 1}}});
  cluster.feed(call_of(cluster, state, 1, Origin::kStarted));
  EXPECT_GT(cluster.last_sequence(), std::uint64_t{1} << 32);
  EXPECT_EQ(cluster.last_welcome().term(), 2u);
}

TEST(JobReturn, ChunksGoBackToWhoHasTheirSamples) {
  const JobConfig config = config_of(2);
  const RunState state = resumed(config, 2, 0);
  FakeCluster cluster(config, state);
  cluster.feed(Started{.remaining = {{"local", 2}}});
  // This differs from a placement without history, which gives 0, 2, 4 and 1, 3, 5.
  const std::map<std::uint32_t, std::set<std::uint32_t>> held{{1, {0, 1, 5}}, {2, {2, 3, 4}}};
  for (const auto& [worker, chunks] : held) {
    WorkerHello hello = call_of(cluster, state, worker, Origin::kStarted);
    for (const std::uint32_t chunk : chunks) hello.hello.add_chunks(chunk);
    cluster.feed(hello);
  }
  EXPECT_EQ(cluster.owned(WorkerId{3}), held.at(1));
  EXPECT_EQ(cluster.owned(WorkerId{4}), held.at(2));
}

}  // namespace job_return_test
}  // namespace surety::orchestrator
