// Tests that training ends with a model that makes no error on the deciding samples, although so
// few samples cannot show the margin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <variant>

#include "plan/pool/attempt_pool.h"
#include "plan/pool/pool_story_test.h"

namespace surety::plan {
namespace perfect_model_test {

using namespace pool_story_test;

double without_error_after_three(std::uint32_t k) { return k < 3 ? 0.4 / k : 0; }

// An accuracy of 0.9, of which evaluations have this standard error.
Story accurate(
    double se, const std::function<void(PoolSpec&)>& change = [](PoolSpec&) {}) {
  PoolSpec spec = full_only(0.1);
  spec.metric = Metric::kAccuracy;
  change(spec);
  AttemptPool pool(spec);
  return run(pool, 300, 30, without_error_after_three, se);
}

// Some ten samples decide, so the margin is wider than the share of errors that the target allows.
constexpr double kWide = 0.08;

std::ptrdiff_t perfect_passes(const Story& story) {
  return std::ranges::count(story.passes, 0, &PoolPass::metric);
}

TEST(PerfectModel, AfterSixModelsWithoutAnErrorTheBestIsCertified) {
  const Story story = accurate(kWide);
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr) << story.last.reason;
  EXPECT_FALSE(certify->target_met);
  EXPECT_EQ(perfect_passes(story), 6);
  EXPECT_THAT(story.last.reason, ::testing::HasSubstr("all deciding samples"));
}

TEST(PerfectModel, WithBestEffortTrainingContinues) {
  EXPECT_GT(perfect_passes(accurate(kWide, [](PoolSpec& spec) { spec.best_effort = true; })), 6);
}

TEST(PerfectModel, ALossOfZeroIsNotTheEndOfLearning) {
  EXPECT_GT(perfect_passes(
                accurate(kWide, [](PoolSpec& spec) { spec.metric = Metric::kValidationLoss; })),
            6);
}

}  // namespace perfect_model_test
}  // namespace surety::plan
