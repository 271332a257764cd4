#include "plan/pool/learns_nothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace surety::plan {
namespace learns_nothing_test {

const double kChance = std::log(10.0);

// Number of passes until the attempt is abandoned; 0 if it never is.
std::size_t given_up_after(const std::vector<double>& metrics, double se, bool another = false) {
  std::vector<SeenMetric> passes;
  for (const double metric : metrics) {
    passes.push_back({metric, se});
    if (learns_nothing(passes, kChance, another)) return passes.size();
  }
  return 0;
}

// Metrics of LeNet-5 on digits with rates of 0.2 and 0.3.
TEST(LearnsNothing, AnAttemptThatStaysAtChanceIsAbandonedAfterTwoPasses) {
  EXPECT_EQ(given_up_after({2.3036, 2.3031, 2.3033}, 0.001), 2u);
}

TEST(LearnsNothing, AnAttemptThatFallsBackToChanceIsAbandoned) {
  EXPECT_EQ(given_up_after({2.1325, 2.1051, 2.3033, 2.3028}, 0.001), 4u);
  // 2.37 is worse than guessing and still falls.
  EXPECT_EQ(given_up_after({2.0056, 2.1043, 2.3699, 2.3039, 2.3029}, 0.002), 5u);
}

TEST(LearnsNothing, OnePassIsEnoughWhereAnotherAttemptStandsAtChance) {
  EXPECT_EQ(given_up_after({1.9211, 1.8640, 2.3012}, 0.002, true), 3u);
  EXPECT_EQ(given_up_after({1.9211, 1.8640, 2.2724}, 0.002, true), 0u);
}

// For an accuracy, the first passes show little.
TEST(LearnsNothing, IfTheMetricIsUncertainThreePassesCount) {
  EXPECT_EQ(given_up_after({2.30, 2.31, 2.30, 2.30}, 0.01), 3u);
  EXPECT_EQ(given_up_after({2.30}, 0.01, true), 0u);
}

TEST(LearnsNothing, OneBadPassIsNoReason) {
  EXPECT_EQ(given_up_after({2.1172, 2.3075, 2.0314, 1.9783}, 0.005), 0u);
}

TEST(LearnsNothing, AnAttemptThatHardlyLearnsIsAbandonedAfterThreePasses) {
  EXPECT_EQ(given_up_after({2.27, 2.268, 2.271, 2.269}, 0.004), 3u);
}

// Metrics of a network with a quarter of its channels on CIFAR-10, which ends at 2.04.
TEST(LearnsNothing, ANetworkThatStartsSlowlyIsNotAbandoned) {
  EXPECT_EQ(given_up_after({2.3019, 2.3007, 2.2979, 2.2872, 2.2063, 2.1340}, 0.0005), 0u);
}

// The untrained network may be far worse than guessing.
TEST(LearnsNothing, AMetricThatFallsFromAboveChanceIsLearning) {
  EXPECT_EQ(given_up_after({3.2, 2.7, 2.4, 2.1, 1.9}, 0.02), 0u);
}

TEST(LearnsNothing, ANumberThatIsExactIsComparedExactly) {
  EXPECT_EQ(given_up_after({kChance, kChance}, 0), 2u);
  EXPECT_EQ(given_up_after({0.98 * kChance, 0.975 * kChance, 0.972 * kChance}, 0), 0u);
}

}  // namespace learns_nothing_test
}  // namespace surety::plan
