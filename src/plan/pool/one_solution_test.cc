// Attempts of models that have one solution, as linear models do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <variant>

#include "plan/belief/stop_metric.h"
#include "plan/pool/attempt_pool.h"
#include "plan/pool/pool_story_test.h"

namespace surety::plan {
namespace one_solution_test {

using namespace pool_story_test;

// A linear model: each attempt comes to the same solution, with a loss of 0.3.
double linear(std::uint32_t k) { return 0.3 + std::pow(0.4, k); }

TEST(OneSolution, TheRunEndsWithItWhereItIsMoreLikelyThanNotToDo) {
  PoolSpec spec = full_only(0.305);
  spec.one_solution = true;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, linear);
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr) << story.last.reason;
  EXPECT_FALSE(certify->target_met);
  EXPECT_THAT(story.last.reason, testing::HasSubstr("hardly changes any more"));
  EXPECT_EQ(pool.attempts(), 1u);
  EXPECT_LT(story.passes.size(), 25u);
}

TEST(OneSolution, IfItIsNotGoodEnoughThePromiseIsRefused) {
  PoolSpec spec = full_only(0.295);
  spec.one_solution = true;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, linear);
  const auto* refuse = std::get_if<PoolRefuse>(&story.last.action);
  ASSERT_NE(refuse, nullptr) << story.last.reason;
  EXPECT_EQ(refuse->reason_class, ReasonClass::kFloor);
  EXPECT_FALSE(refuse->seconds_left || refuse->money_left);
  ASSERT_TRUE(refuse->target);
  const double margin = -stop_metric(0, spec.probability, 0.01, true);
  EXPECT_GE(*refuse->target, 0.3 + margin);
  EXPECT_FALSE(refuse->probability);
  EXPECT_EQ(pool.attempts(), 1u);
}

TEST(OneSolution, AnAttemptWithAllItsPassesIsTheLast) {
  PoolSpec spec = full_only(0.29);
  spec.one_solution = spec.best_effort = true;
  spec.passes_max = 5;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, linear);
  EXPECT_TRUE(std::holds_alternative<PoolCertify>(story.last.action)) << story.last.reason;
  EXPECT_EQ(story.passes.size(), 5u);
  EXPECT_THAT(story.last.reason, testing::HasSubstr("train.passes_max = 5"));
}

// With features on very different scales, the metric of a linear model jumps from pass to pass.
double jumping(std::uint32_t k) { return k == 2 ? 0.6 : 0.7 + (k % 5 == 0 ? 2.0 : 0.01 * (k % 3)); }

TEST(OneSolution, WorsePassesAreNoReasonForAnotherAttempt) {
  for (const auto& law : {jumping, learns_by_heart}) {
    PoolSpec spec = full_only(0.1);
    spec.one_solution = spec.best_effort = true;
    spec.passes_max = 30;
    AttemptPool pool(spec);
    const Story story = run(pool, 1e7, 60, law);
    EXPECT_TRUE(std::holds_alternative<PoolCertify>(story.last.action)) << story.last.reason;
    EXPECT_EQ(pool.attempts(), 1u);
    EXPECT_THAT(story.last.reason, testing::HasSubstr("one solution"));
    EXPECT_THAT(story.last.reason, testing::HasSubstr("the best saved model had loss"));
  }
}

TEST(OneSolution, AModelAtTheTargetIsSavedBeforeAPassThatMayBeWorse) {
  PoolSpec spec = full_only(0.7);
  spec.one_solution = true;
  AttemptPool pool(spec);
  pool.set_untrained_metric(kStart);
  const auto must_save = [&](std::uint32_t pass, double metric) {
    pool.on_pass({0, 0, pass, metric, 0.05, 10});
    return pool.must_save(false);
  };
  EXPECT_FALSE(must_save(1, 0.8));   // It does not show the target.
  EXPECT_FALSE(must_save(2, 0.69));  // Each pass was better than the ones before.
  EXPECT_FALSE(must_save(3, 1.5));
  EXPECT_TRUE(pool.must_save(true));
  EXPECT_TRUE(must_save(4, 0.66));
  pool.on_saved(0.66);
  EXPECT_FALSE(pool.must_save(true));
  EXPECT_FALSE(must_save(5, 0.67));  // A better one is saved.
  EXPECT_TRUE(must_save(6, 0.65));
}

TEST(OneSolution, AnAttemptThatWasLostIsStillReplaced) {
  PoolSpec spec = full_only(0.1);
  spec.one_solution = true;
  AttemptPool pool(spec);
  pool.set_untrained_metric(kStart);
  pool.on_pass({0, 0, 1, quick(1), 0.01, 10});
  pool.on_lost(0);
  const PoolStep step = pool.next({1e6});
  const auto* train = std::get_if<PoolTrain>(&step.action);
  ASSERT_NE(train, nullptr);
  EXPECT_FALSE(train->attempt);
  EXPECT_EQ(step.reason, "attempt 2 begins with full: no earlier attempt can continue");
}

}  // namespace one_solution_test
}  // namespace surety::plan
