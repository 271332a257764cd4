#include "plan/belief/stop_metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace surety::plan {
namespace stop_metric_test {

TEST(StopMetric, LeavesAMarginThatGrowsWithTheNoiseAndWithThePromise) {
  EXPECT_EQ(stop_metric(0.5, 0.9, 0), 0.5);
  EXPECT_LT(stop_metric(0.5, 0.9, 0.02), stop_metric(0.5, 0.9, 0.01));
  EXPECT_LT(stop_metric(0.5, 0.95, 0.01), stop_metric(0.5, 0.9, 0.01));
  // The noise of two halves, a variance larger by a quarter, and the 95 % quantile of Student's
  // distribution with ten degrees of freedom.
  EXPECT_NEAR(stop_metric(0.5, 0.9, 0.01), 0.5 - 0.01 * 1.812 * std::sqrt(2.5), 3e-4);
  EXPECT_NEAR(stop_metric(0.5, 0.99, 0.01), 0.5 - 0.01 * 3.169 * std::sqrt(2.5), 2e-3);
}

TEST(StopMetric, ByLuckTheOtherSamplesAgreeAsMuchAboveTheTarget) {
  EXPECT_NEAR(lucky_metric(0.5, 0.9, 0.01), 0.5 + 0.01 * 1.645 * std::sqrt(2), 1e-5);
  EXPECT_EQ(lucky_metric(0.5, 0.9, 0), 0.5);
}

TEST(StopMetric, AnAttemptThatFallsSteadilyNeedsNoMarginForTheChoiceAmongItsCheckpoints) {
  EXPECT_NEAR(stop_metric(0.5, 0.9, 0.01, true), 0.5 - 0.01 * 1.645 * std::sqrt(2), 1e-5);
  EXPECT_LT(stop_metric(0.5, 0.9, 0.01, false), stop_metric(0.5, 0.9, 0.01, true));
}

TEST(StopMetric, OnlyFourPassesOnEndThatAreTheBestAreASteadyFall) {
  Fall fall(2.3);
  const auto after = [&](double metric) {
    fall.on_pass(metric);
    return fall.is_steady();
  };
  EXPECT_TRUE(after(1.3));
  EXPECT_TRUE(after(1.1));
  EXPECT_FALSE(after(1.2));  // Worse than the best one before it.
  for (const double metric : {1.0, 0.9, 0.8}) EXPECT_FALSE(after(metric));
  EXPECT_TRUE(after(0.7));
}

// At any level and step, when training stops at the first pass that is low enough, the other
// samples agree often enough. This is counted over pairs of evaluations of the same courses.
TEST(StopMetric, OfSteadyCoursesTheOtherSamplesAgreeOftenEnoughAtEveryStep) {
  constexpr double kSe = 0.01;
  constexpr double kTarget = 0.5;
  constexpr int kJobs = 4000;
  for (const double probability : {0.8, 0.9, 0.95}) {
    for (const double step : {0.001, 0.01, 0.1}) {
      Random random(7);
      int agreed = 0;
      for (int job = 0; job < kJobs; ++job) {
        const double decides = kSe * random.normal();
        const double certifies = kSe * random.normal();
        // This is equal in all jobs, so that chance does not determine the pass at which they stop.
        double level = kTarget + 0.05;
        while (level + decides > stop_metric(kTarget, probability, kSe, true)) level -= step;
        agreed += level + certifies <= kTarget ? 1 : 0;
      }
      EXPECT_GE(agreed, (1 + probability) / 2 * kJobs - 3 * std::sqrt(0.1 * kJobs))
          << probability << " " << step;
    }
  }
}

}  // namespace stop_metric_test
}  // namespace surety::plan
