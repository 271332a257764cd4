#include "cli/run/linear_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::cli {
namespace linear_summary_test {

using ::testing::HasSubstr;

TEST(LinearSummary, TheScoreOfARegressionStatesTheErrorAndTheLossOfTheJob) {
  EXPECT_EQ(score_text(false, {.samples = 4, .square_error_sum = 10}),
            "mean squared error 2.5; loss 1.25, which is half of it (4 samples)");
  EXPECT_EQ(score_text(true, {.samples = 4, .correct = 3}), "accuracy 0.7500 (3 of 4)");
}

TEST(LinearSummary, ARunThatPromisesTheLossOfARegressionSaysWhatItIs) {
  job::Job job;
  job.model.zoo = "ridge";
  job.promise.metric = plan::Metric::kValidationLoss;
  EXPECT_THAT(loss_remark(job).value_or(""), HasSubstr("half the squared error"));
  job.promise.metric = plan::Metric::kDualityGap;
  EXPECT_FALSE(loss_remark(job));
  job.promise.metric = plan::Metric::kValidationLoss;
  job.model.zoo = "logistic";
  EXPECT_FALSE(loss_remark(job));
}

}  // namespace linear_summary_test
}  // namespace surety::cli
