// Workers and their coordinator lose their connection and reconnect, with the real code at both
// ends. The tests check which workers remain, which chunks they still hold, and how many chunks are
// read again.
#include <gtest/gtest.h>

#include "sim/seeds.h"

namespace surety::sim {
namespace outlive_sim_test {

// A run without other faults. No chunk moves unless a worker is lost.
SimOptions run_with(std::uint64_t seed, std::vector<Fault> faults) {
  SimOptions options = seed_options(seed);
  options.faults = {};
  options.faults.list = std::move(faults);
  options.config.job.cluster.wait_s = 180;
  options.config.job.train.policies = {.rebalance = false, .shuffle = false};
  options.restart_s = 2;
  return options;
}

SimResult run_to_end(SimOptions options) {
  Cluster cluster(std::move(options));
  const SimResult result = cluster.run();
  EXPECT_EQ(result.violation, std::nullopt) << text_of(cluster.trace());
  EXPECT_TRUE(result.finish && result.finish->ending == orchestrator::Ending::kComplete)
      << text_of(cluster.trace());
  return result;
}

Fault crash_at(double at_s) { return {.kind = FaultKind::kCoordinatorCrash, .at_s = at_s}; }

TEST(Outlive, AfterThreeCrashesTheSameProcessesAreThereAndNoChunkWasReadAgain) {
  for (const std::uint64_t seed : {2u, 3u, 4u, 5u}) {
    const SimOptions options = run_with(seed, {crash_at(3), crash_at(8), crash_at(13)});
    const SimResult result = run_to_end(options);
    EXPECT_EQ(result.restarts, 3u);
    EXPECT_EQ(result.processes, options.nodes);
    EXPECT_EQ(result.chunks_read, options.config.chunks.size());
    EXPECT_EQ(result.state.workers.last_id, 4 * options.nodes);
  }
}

TEST(Outlive, IfWorkersDoNotWaitEachCoordinatorStartsItsOwn) {
  SimOptions options = run_with(2, {crash_at(3), crash_at(8)});
  options.config.job.cluster.wait_s = 0;
  const SimResult result = run_to_end(options);
  EXPECT_EQ(result.processes, 3 * options.nodes);
  EXPECT_EQ(result.chunks_read, 3 * options.config.chunks.size());
}

TEST(Outlive, AWorkerThatWaitsTooShortlyIsReplaced) {
  SimOptions options = run_with(2, {crash_at(5)});
  options.config.job.cluster.wait_s = 1;
  EXPECT_EQ(run_to_end(options).processes, 2 * options.nodes);
}

TEST(Outlive, AWorkerThatStartsDuringACrashFindsTheNextCoordinator) {
  SimOptions options = run_with(2, {crash_at(0.5)});
  EXPECT_EQ(run_to_end(options).processes, options.nodes);
}

// The connection breaks, or one or both directions are cut. The worker is lost as worker 1 and
// returns with another id, before a replacement is started.
TEST(Outlive, AWorkerThatLosesItsConnectionContinuesWithAnotherId) {
  for (const FaultKind kind : {FaultKind::kLinkBreak, FaultKind::kCut, FaultKind::kCutOneWay}) {
    for (const bool is_planned : {false, true}) {
      SimOptions options =
          run_with(4, {{.kind = kind, .at_s = 5, .for_s = 5, .target = 1, .other = 0}});
      if (!is_planned) options.config.plan->blocks.front().counts.clear();
      const SimResult result = run_to_end(options);
      EXPECT_EQ(result.processes, options.nodes) << name_of(kind);
      EXPECT_EQ(result.state.workers.last_id, options.nodes + 1) << name_of(kind);
    }
  }
}

TEST(Outlive, AWorkerThatIsCutOffForLongIsReplacedWithoutASurplusWorker) {
  for (const FaultKind kind : {FaultKind::kCut, FaultKind::kCutOneWay, FaultKind::kStall}) {
    for (const bool is_planned : {false, true}) {
      SimOptions options =
          run_with(4, {{.kind = kind, .at_s = 5, .for_s = 10, .target = 1, .other = 0}});
      if (!is_planned) options.config.plan->blocks.front().counts.clear();
      const SimResult result = run_to_end(options);
      EXPECT_EQ(result.processes, options.nodes + 1) << name_of(kind);
      EXPECT_EQ(result.state.workers.present.size(), options.nodes) << name_of(kind);
    }
  }
}

// ---- the checker --------------------------------------------------------------------------------

// A Returns checker in which process 1 is worker 3 and holds chunk 7.
Returns holder() {
  Returns returns({.wait_s = 180, .local = 2});
  returns.on_begin({});
  returns.on_launch(2);
  returns.on_hello(1, {});
  returns.on_admitted(1, WorkerId{3});
  returns.on_welcomed(1, WorkerId{3});
  proto::Prepare order;
  order.add_owned(7);
  returns.on_prepare(1, order);
  returns.on_read(1, ChunkId{7});
  EXPECT_EQ(returns.violation(), std::nullopt);
  return returns;
}

proto::Hello again(std::vector<std::uint32_t> chunks) {
  proto::Hello hello;
  hello.set_worker(3);
  for (const std::uint32_t chunk : chunks) hello.add_chunks(chunk);
  return hello;
}

TEST(Canary, AChunkThatIsReadAgainIsFound) {
  Returns returns = holder();
  returns.on_read(1, ChunkId{7});
  EXPECT_EQ(returns.violation(), "process 1 reads chunk 7 again, which it holds");
}

TEST(Canary, AChunkThatWasFreedMayBeReadAgain) {
  Returns returns = holder();
  returns.on_prepare(1, {});
  returns.on_read(1, ChunkId{7});
  EXPECT_EQ(returns.violation(), std::nullopt);
}

// The chunk was read for a Prepare that a newer one replaced, and the newer one has freed the
// chunk.
TEST(Canary, AChunkThatIsReadForAReplacedPrepareIsNotHeld) {
  Returns returns = holder();
  returns.on_prepare(1, {});
  returns.on_read(1, ChunkId{7});
  proto::Prepare order;
  order.add_owned(7);
  returns.on_prepare(1, order);
  returns.on_read(1, ChunkId{7});
  EXPECT_EQ(returns.violation(), std::nullopt);
  returns.on_read(1, ChunkId{7});
  EXPECT_EQ(returns.violation(), "process 1 reads chunk 7 again, which it holds");
}

TEST(Canary, AWorkerThatForgetsItsChunksAtReturnIsFound) {
  Returns returns = holder();
  returns.on_hello(1, again({6}));
  EXPECT_EQ(returns.violation(), "process 1 calls again without chunk 7, which it held");
}

TEST(Canary, AWorkerThatCallsWithTheIdOfAnotherIsFound) {
  Returns returns = holder();
  returns.on_hello(2, again({}));
  EXPECT_EQ(returns.violation(), "process 2 calls with the id of worker 3, which it never had");
}

TEST(Canary, AWorkerThatStillCountsUnderItsOldIdIsFound) {
  for (const bool is_gone : {false, true}) {
    Returns returns = holder();
    returns.on_hello(1, again({7}));
    if (is_gone) returns.on_gone(WorkerId{3});
    returns.on_admitted(1, WorkerId{4});
    EXPECT_EQ(returns.violation().value_or(""),
              is_gone ? "" : "process 1 is present as worker 3 and as worker 4");
  }
}

TEST(Canary, AWorkerThatGivesUpTooSoonIsFound) {
  for (const double at_s : {189.0, 190.0}) {
    Returns returns = holder();
    returns.on_lost(1, 10);
    returns.on_lost(1, 60);
    returns.on_gave_up(1, at_s);
    EXPECT_EQ(!returns.violation(), at_s == 190.0) << at_s;
  }
}

// Two workers may run. Process 3 joins in addition to process 1, which is worker 3, and process 2.
TEST(Canary, ASurplusWorkerIsFound) {
  proto::ToWorker prepare;
  prepare.mutable_prepare();
  enum class Other : std::uint8_t { kStays, kIsGone, kIsLeaving, kJoinedByItself };
  for (const Other other :
       {Other::kStays, Other::kIsGone, Other::kIsLeaving, Other::kJoinedByItself}) {
    Returns returns = holder();
    for (const std::uint32_t process : {1u, 2u}) returns.on_launched(process);
    if (other != Other::kJoinedByItself) returns.on_launched(3);
    for (const std::uint32_t process : {2u, 3u}) {
      returns.on_hello(process, {});
      returns.on_admitted(process, WorkerId{10 + process});
    }
    proto::FromWorker leaving;
    leaving.mutable_leaving();
    if (other == Other::kIsGone) returns.on_gone(WorkerId{3});
    if (other == Other::kIsLeaving) returns.on_answer(WorkerId{3}, leaving);
    returns.on_command(WorkerId{12}, prepare);
    EXPECT_EQ(
        returns.violation().value_or(""),
        other == Other::kStays ? "3 launched workers take part, although only 2 may run here" : "");
  }
}

TEST(Canary, ReplacementsOfLostWorkersAreNotASurplus) {
  for (const std::uint32_t launched : {1u, 2u}) {
    Returns returns = holder();
    returns.on_gone(WorkerId{3});
    returns.on_launch(launched);
    EXPECT_EQ(!returns.violation(), launched == 1) << launched;
  }
}

TEST(Canary, WorkersThatAreStartedBesideThoseThatAreLeftAreFound) {
  for (const std::uint32_t launched : {1u, 2u}) {
    Returns returns = holder();
    returns.on_begin({{"local", 1}});
    returns.on_launch(launched);
    EXPECT_EQ(!returns.violation(), launched == 1);
  }
}

}  // namespace outlive_sim_test
}  // namespace surety::sim
