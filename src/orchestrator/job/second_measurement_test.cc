#include "orchestrator/job/second_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace second_measurement_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kPlenty = 100000;

// A run that has a certified result, and whose second measurement is not answered.
FakeCluster certified_cluster(const JobConfig& config) {
  FakeCluster cluster(config, begun(config));
  cluster.hold_second_measurement();
  cluster.feed(Started{});
  cluster.join();
  cluster.join();
  cluster.run_steps(kPlenty);
  EXPECT_TRUE(cluster.machine().state().record.certified);
  return cluster;
}

MeasuredAgain measured(double metric, std::uint64_t samples) {
  return {certificate::MetricValues{metric, 0.01, samples}};
}

TEST(SecondMeasurement, WorkersAreDismissedBeforeItAndTheRunEndsAfterIt) {
  FakeCluster cluster = certified_cluster(small_config(2));
  EXPECT_EQ(cluster.byes(), 2);
  EXPECT_EQ(cluster.second_measurements(), 1);
  EXPECT_FALSE(cluster.ended());
  EXPECT_THAT(cluster.machine().view().waits_for->what, HasSubstr("measures the final model"));
  const certificate::Certified certified = *cluster.machine().state().record.certified;
  cluster.feed(measured(certified.metric, certified.samples));
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
  EXPECT_EQ(certificate::verdict(cluster.machine().state().record), certificate::Verdict::kKept);
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("measured the final model again")));
}

// The promise is kept when the result is certified. Checking it takes no time and no money of it.
TEST(SecondMeasurement, ItTakesNoTimeAndNoMoneyOfThePromise) {
  JobConfig config = small_config(2);
  config.job.cluster.nodes.front().price_per_s = 1;
  FakeCluster cluster = certified_cluster(config);
  const double seconds = cluster.machine().state().record.run_seconds;
  const double cost = certificate::total_cost(cluster.machine().state().record);
  cluster.pass_silence(20);
  const certificate::Certified certified = *cluster.machine().state().record.certified;
  cluster.feed(measured(certified.metric, certified.samples));
  ASSERT_TRUE(cluster.ended());
  const RunState& state = cluster.machine().state();
  EXPECT_DOUBLE_EQ(state.record.run_seconds, seconds);
  EXPECT_DOUBLE_EQ(certificate::total_cost(state.record), cost);
  EXPECT_DOUBLE_EQ(state.end->run_seconds(), seconds);
}

TEST(SecondMeasurement, AnotherValueThanThatOfTheWorkersCounts) {
  FakeCluster cluster = certified_cluster(small_config(2));
  const std::uint64_t samples = cluster.machine().state().record.certified->samples;
  cluster.feed(measured(0.9, samples));
  ASSERT_TRUE(cluster.ended());
  const RunState& state = cluster.machine().state();
  EXPECT_EQ(certificate::verdict(state.record), certificate::Verdict::kMissed);
  EXPECT_DOUBLE_EQ(state.end->reached().metric(), 0.9);
  EXPECT_EQ(state.end->verdict(), "missed");
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("The value of the new process counts")));
}

MeasuredAgain failed(const char* reason) {
  return {Result<certificate::MetricValues>(fail(ErrorCode::kUnavailable, "{}", reason))};
}

TEST(SecondMeasurement, IfItFailsItIsTriedOnceMore) {
  FakeCluster cluster = certified_cluster(small_config(2));
  cluster.feed(failed("killed by signal 9"));
  EXPECT_FALSE(cluster.ended());
  EXPECT_EQ(cluster.second_measurements(), 2);
  EXPECT_THAT(cluster.log_lines(), Contains(HasSubstr("tried once more: killed by signal 9")));
  const certificate::Certified certified = *cluster.machine().state().record.certified;
  cluster.feed(measured(certified.metric, certified.samples));
  ASSERT_TRUE(cluster.ended());
  EXPECT_TRUE(cluster.machine().state().record.certified->again);
}

TEST(SecondMeasurement, ARunEndsWithItsResultIfItFailsTwiceOrTakesTooLong) {
  const auto reason_after = [](const std::function<void(FakeCluster&)>& disturb) {
    FakeCluster cluster = certified_cluster(small_config(2));
    disturb(cluster);
    EXPECT_TRUE(cluster.ended());
    EXPECT_EQ(cluster.ended()->ending, Ending::kComplete);
    const certificate::RunRecord& record = cluster.machine().state().record;
    EXPECT_EQ(certificate::verdict(record), certificate::Verdict::kKept);
    return record.certified->not_again.value_or("");
  };
  EXPECT_THAT(reason_after([](FakeCluster& cluster) {
                cluster.feed(failed("no data"));
                cluster.feed(failed("no memory"));
              }),
              HasSubstr("no memory"));
  EXPECT_THAT(reason_after([](FakeCluster& cluster) { cluster.pass_silence(61); }),
              HasSubstr("took more than 1min"));
}

// The next coordinator trains on, or certifies the next best checkpoint.
TEST(SecondMeasurement, ACheckpointThatIsLostIsNoResult) {
  FakeCluster cluster = certified_cluster(small_config(2));
  cluster.feed(MeasuredAgain{
      Result<certificate::MetricValues>(fail(ErrorCode::kCorrupt, "found another checksum"))});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kInterrupted);
  EXPECT_THAT(cluster.ended()->reason, HasSubstr("found another checksum"));
  const RunState& state = cluster.machine().state();
  EXPECT_FALSE(state.end);
  EXPECT_FALSE(state.record.certified);
  EXPECT_TRUE(state.checkpoints.empty() || state.best_checkpoint);
}

// The next coordinator measures it.
TEST(SecondMeasurement, ARunThatIsInterruptedCanBeResumed) {
  FakeCluster cluster = certified_cluster(small_config(2));
  cluster.feed(StopRequested{});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kInterrupted);
  EXPECT_FALSE(cluster.machine().state().end);
  EXPECT_EQ(cluster.byes(), 2);
}

TEST(SecondMeasurement, ALaterCoordinatorTakesTheRunOver) {
  FakeCluster cluster = certified_cluster(small_config(2));
  proto::Hello hello;
  hello.set_run(identity(cluster.machine().state()));
  hello.set_term(cluster.machine().state().term + 1);
  cluster.feed(WorkerHello{99, hello});
  ASSERT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.ended()->ending, Ending::kTakenOver);
}

// A coordinator that does not wait would keep a core busy.
TEST(SecondMeasurement, TheCoordinatorSleepsAlthoughDismissedWorkersAreSilent) {
  FakeCluster cluster = certified_cluster(small_config(2));
  cluster.pass_silence(30);
  EXPECT_GT(cluster.machine().deadline_s(), cluster.now_s());
}

TEST(SecondMeasurement, ALongRunWaitsLongerForItAndSoDoesOneWithDataThatAreSlowToRead) {
  EXPECT_EQ(second_measurement_limit_s({.run_seconds = 30}, 1), 60);
  EXPECT_EQ(second_measurement_limit_s({.run_seconds = 36000}, 1), 3600);
  EXPECT_EQ(second_measurement_limit_s({.run_seconds = 30}, 100), 1000);
}

// The workers are gone, and so are their connections. This is no loss.
TEST(SecondMeasurement, NoWorkerCountsAsLostMeanwhileAndALateOneIsDismissed) {
  FakeCluster cluster = certified_cluster(small_config(2));
  const std::size_t records = cluster.journal().size();
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  cluster.join();
  cluster.pass_silence(5);
  EXPECT_FALSE(cluster.ended());
  EXPECT_EQ(cluster.journal().size(), records);
  EXPECT_EQ(cluster.byes(), 3);
  EXPECT_EQ(cluster.orders().size(), 1u);
}

TEST(SecondMeasurement, TheNextCoordinatorStartsNoWorkerForIt) {
  const JobConfig config = small_config(2);
  FakeCluster first = certified_cluster(config);
  RunState state = first.machine().state();
  proto::JournalRecord resumed;
  resumed.set_run_s(first.now_s() + 5);
  resumed.mutable_run_resumed()->set_term(2);
  ASSERT_TRUE(apply(state, resumed, config.job.cluster, config.job.promise.metric));
  FakeCluster next(config, state);
  next.hold_second_measurement();
  next.feed(Started{.remaining = {{config.job.cluster.nodes.front().name, 1}}});
  EXPECT_THAT(next.orders(), IsEmpty());
  EXPECT_EQ(next.second_measurements(), 1);
  next.feed(measured(state.record.certified->metric, state.record.certified->samples));
  ASSERT_TRUE(next.ended());
  EXPECT_EQ(certificate::verdict(next.machine().state().record), certificate::Verdict::kKept);
}

// It would wait for a coordinator in vain.
TEST(SecondMeasurement, AWorkerFromElsewhereIsDismissedByTheNextCoordinator) {
  const JobConfig config = small_config(2);
  FakeCluster first = certified_cluster(config);
  RunState state = first.machine().state();
  state.workers.joined_by_itself_away = 1;
  FakeCluster next(config, state);
  next.hold_second_measurement();
  next.feed(Started{});
  next.feed(measured(state.record.certified->metric, state.record.certified->samples));
  EXPECT_FALSE(next.ended());
  next.pass_silence(2);
  next.join();
  EXPECT_EQ(next.byes(), 1);
  next.pass_silence(1.5);
  EXPECT_TRUE(next.ended());
}

TEST(SecondMeasurement, AJobMayDoWithoutIt) {
  JobConfig config = small_config(2);
  config.job.trust.measure_again = false;
  FakeCluster cluster = certified_cluster(config);
  EXPECT_EQ(cluster.second_measurements(), 0);
  EXPECT_TRUE(cluster.ended());
  EXPECT_EQ(cluster.machine().state().record.certified->not_again, "trust.measure_again is off");
}

}  // namespace second_measurement_test
}  // namespace surety::orchestrator
