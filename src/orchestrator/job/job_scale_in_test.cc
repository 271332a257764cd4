// Feedback-driven scale-in in a running job: workers rest, resume work or are released.
#include <gmock/gmock.h>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace job_scale_in_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr int kStepsMax = 100000;
constexpr std::size_t kSamples = 12 * 10;

// CoCoA on 12 chunks of 10 samples with fixed settings, for `passes` passes.
JobConfig config_of(std::uint32_t workers, bool scale_in, std::uint32_t passes) {
  JobConfig config = small_config(workers);
  config.mode = RunMode::kTrain;
  config.job.promise.metric = plan::Metric::kDualityGap;
  config.job.train.solver = job::Solver::kCocoa;
  config.job.train.passes_max = passes;
  config.job.train.policies = {.shuffle = true, .scale_in = scale_in};
  config.chunks.clear();
  for (std::uint32_t i = 0; i < 12; ++i) {
    config.chunks.push_back(
        {.id = ChunkId{i}, .source = 0, .first = 10 * i, .count = 10, .bytes = 400});
  }
  config.plan = hand_plan({}, 1e-300);
  config.plan->blocks.front().passes = passes;
  return config;
}

// Half as many workers are twice as good per pass, but a single worker is useless.
double two_are_best(std::size_t workers) { return workers == 1 ? 1e-3 : 2.0 / workers; }

struct Job4 {
  explicit Job4(const JobConfig& config, const std::function<double(std::size_t)>& rate)
      : cluster(config, begun(config)) {
    cluster.set_gap_rate(rate);
    cluster.feed(Started{});
    for (int i = 0; i < 4; ++i) cluster.join();
  }
  FakeCluster cluster;
};

TEST(JobScaleIn, WhoIsNotNeededIsReleasedAndTheLogSaysWhy) {
  Job4 job(config_of(4, true, 150), two_are_best);
  job.cluster.run_steps(kStepsMax);
  EXPECT_TRUE(job.cluster.ended());
  EXPECT_EQ(job.cluster.alive().size(), 2u);
  EXPECT_THAT(job.cluster.log_lines(),
              Contains(AllOf(HasSubstr("workers, the logarithm of the gap falls by"),
                             HasSubstr("trying 2"))));
  EXPECT_THAT(job.cluster.log_lines(),
              Contains(AllOf(HasSubstr("worker 4 is released: 2 workers stay"),
                             HasSubstr("it would fall by"))));
  EXPECT_THAT(job.cluster.log_lines(), Contains(HasSubstr("back to 2 workers")));
  std::size_t left = 0;
  for (const proto::JournalRecord& record : job.cluster.journal()) {
    left += record.has_worker_gone() && record.worker_gone().kind() == "leave";
  }
  EXPECT_EQ(left, 2u);
}

TEST(JobScaleIn, EverySampleIsVisitedOnceAPassAllTheWhile) {
  Job4 job(config_of(4, true, 150), two_are_best);
  for (int i = 0; i < kStepsMax && job.cluster.visits().size() < 140 * kSamples; ++i) {
    job.cluster.run_steps(1);
  }
  EXPECT_EQ(job.cluster.visits().size(), 140 * kSamples);
  EXPECT_THAT(job.cluster.visits(), Each(Pair(testing::_, 1)));
}

TEST(JobScaleIn, SwitchedOffByNameItLeavesTheJobAlone) {
  Job4 job(config_of(4, false, 150), two_are_best);
  job.cluster.run_steps(kStepsMax);
  EXPECT_TRUE(job.cluster.ended());
  EXPECT_EQ(job.cluster.alive().size(), 4u);
  EXPECT_THAT(job.cluster.log_lines(), Each(Not(HasSubstr("trying"))));
}

// With safe aggregation the rate of many workers does not fall.
TEST(JobScaleIn, WhereUpdatesAreAddedSafelyHalvesAreNotTried) {
  JobConfig config = config_of(4, true, 150);
  config.job.train.aggregation = job::Aggregation::kSafe;
  Job4 job(config, two_are_best);
  job.cluster.run_steps(kStepsMax);
  EXPECT_TRUE(job.cluster.ended());
  EXPECT_EQ(job.cluster.alive().size(), 4u);
  EXPECT_THAT(job.cluster.log_lines(), Each(Not(HasSubstr("trying"))));
}

TEST(JobScaleIn, APlanDecidesAboutItsNodesItself) {
  JobConfig config = config_of(4, true, 150);
  config.plan = hand_plan(4, 1e-300);
  config.plan->blocks.front().passes = 150;
  Job4 job(config, two_are_best);
  job.cluster.run_steps(kStepsMax);
  EXPECT_EQ(job.cluster.alive().size(), 4u);
  EXPECT_THAT(job.cluster.log_lines(), Each(Not(HasSubstr("trying"))));
}

TEST(JobScaleIn, WorkersMinIsTheEnd) {
  JobConfig config = config_of(4, true, 150);
  config.job.cluster.workers_min = 3;
  Job4 job(config, two_are_best);
  job.cluster.run_steps(kStepsMax);
  EXPECT_EQ(job.cluster.alive().size(), 3u);
}

TEST(JobScaleIn, AWorkerThatDiesInATryMakesItBeginAnewAndNoSampleIsLost) {
  Job4 job(config_of(4, true, 100), two_are_best);
  const auto tries = [&] {
    return !job.cluster.log_lines().empty() &&
           std::any_of(job.cluster.log_lines().begin(), job.cluster.log_lines().end(),
                       [](const auto& text) { return text.find("trying 2") != std::string::npos; });
  };
  for (int i = 0; i < kStepsMax && !tries(); ++i) job.cluster.run_steps(1);
  ASSERT_TRUE(tries());
  job.cluster.run_steps(6);
  job.cluster.kill(WorkerId{1});
  const std::size_t before = job.cluster.visits().size();
  for (int i = 0; i < kStepsMax && job.cluster.visits().size() < before + 9 * kSamples; ++i) {
    job.cluster.run_steps(1);
  }
  EXPECT_THAT(job.cluster.visits(), Each(Pair(testing::_, 1)));
  job.cluster.run_steps(kStepsMax);
  EXPECT_TRUE(job.cluster.ended());
  EXPECT_GE(job.cluster.alive().size(), 1u);
}

}  // namespace job_scale_in_test
}  // namespace surety::orchestrator
