#include "orchestrator/history/metric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace metric_test {

TEST(Metric, LossIsTheMeanWithItsStandardError) {
  proto::Sums sums;
  sums.set_samples(4);
  sums.set_loss_sum(8);  // 1, 1, 3, 3: mean 2, variance 1
  sums.set_loss_square_sum(20);
  const MetricValue value = metric_of(plan::Metric::kValidationLoss, sums);
  EXPECT_DOUBLE_EQ(value.value, 2);
  EXPECT_DOUBLE_EQ(value.se, 0.5);
}

TEST(Metric, AccuracyIsAShareWithABinomialStandardError) {
  proto::Sums sums;
  sums.set_samples(100);
  sums.set_correct(90);
  const MetricValue value = metric_of(plan::Metric::kAccuracy, sums);
  EXPECT_DOUBLE_EQ(value.value, 0.9);
  EXPECT_NEAR(value.se, 0.03, 1e-12);
}

// Nine correct answers of nine: the share of 10 in 11 has the variance 10 / 121.
TEST(Metric, AnAccuracyOfAFewSamplesIsNeverExact) {
  proto::Sums sums;
  sums.set_samples(9);
  for (const int correct : {9, 0}) {
    sums.set_correct(correct);
    const MetricValue value = metric_of(plan::Metric::kAccuracy, sums);
    EXPECT_DOUBLE_EQ(value.value, correct / 9.0);
    EXPECT_NEAR(value.se, std::sqrt(10.0 / 121 / 9), 1e-12);
  }
}

TEST(Metric, TheGapIsWhatSamplesAndThePenaltyAdd) {
  proto::Sums sums;
  sums.set_samples(10);
  sums.set_loss_sum(5);
  sums.set_gap_sum(3);
  sums.set_penalty(1);
  sums.set_penalty_gap(2);
  EXPECT_NEAR(metric_of(plan::Metric::kDualityGap, sums).value, (3 + 2) / 10.0, 1e-12);
  // P = (5 + 1) / 10.
  EXPECT_NEAR(metric_of(plan::Metric::kDualityGap, sums).objective.value(), 0.6, 1e-12);
}

TEST(Metric, ThePlannerMinimisesAccuracysComplement) {
  EXPECT_NEAR(for_planner(plan::Metric::kAccuracy, 0.98), 0.02, 1e-12);
  EXPECT_DOUBLE_EQ(for_planner(plan::Metric::kValidationLoss, 0.98), 0.98);
}

TEST(Metric, ATargetIsMetByEqualityToo) {
  EXPECT_TRUE(meets(plan::Metric::kAccuracy, 0.9, 0.9));
  EXPECT_FALSE(meets(plan::Metric::kAccuracy, 0.89, 0.9));
  EXPECT_TRUE(meets(plan::Metric::kValidationLoss, 0.3, 0.3));
  EXPECT_FALSE(meets(plan::Metric::kDualityGap, 0.31, 0.3));
}

}  // namespace metric_test
}  // namespace surety::orchestrator
