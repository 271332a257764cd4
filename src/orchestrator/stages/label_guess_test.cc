#include "orchestrator/stages/label_guess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace surety::orchestrator {
namespace label_guess_test {

std::optional<LabelGuess> guess_of(plan::Metric metric, const std::string& zoo) {
  job::Job job;
  job.promise.metric = metric;
  job.model.zoo = zoo;
  std::vector<data::SourceInfo> sources(2);
  sources[0].label_histogram = {{0, 70}, {1, 10}};
  sources[1].label_histogram = {{0, 20}};
  return label_guess(job, sources, std::nullopt);
}

TEST(LabelGuess, AnAccuracyIsThatOfTheMostCommonLabel) {
  const auto guess = guess_of(plan::Metric::kAccuracy, "svm");
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->most.label, 0);
  EXPECT_DOUBLE_EQ(guess->metric, 0.9);
}

TEST(LabelGuess, ALogarithmicLossIsThatOfTheShares) {
  for (const char* zoo : {"logistic", "mlp"}) {
    const auto guess = guess_of(plan::Metric::kValidationLoss, zoo);
    ASSERT_TRUE(guess);
    EXPECT_NEAR(guess->metric, -0.9 * std::log(0.9) - 0.1 * std::log(0.1), 1e-12);
  }
}

TEST(LabelGuess, OtherMetricsHaveNone) {
  EXPECT_FALSE(guess_of(plan::Metric::kValidationLoss, "svm"));
  EXPECT_FALSE(guess_of(plan::Metric::kValidationLoss, "ridge"));
  EXPECT_FALSE(guess_of(plan::Metric::kDualityGap, "logistic"));
  EXPECT_FALSE(label_guess({}, {}, {}));
}

TEST(LabelGuess, AValidationSourceJudges) {
  job::Job job;
  job.promise.metric = plan::Metric::kAccuracy;
  job.model.zoo = "svm";
  data::SourceInfo training;
  training.label_histogram = {{0, 90}, {1, 10}};
  data::SourceInfo validation;
  validation.label_histogram = {{0, 30}, {1, 70}};
  const auto guess = label_guess(job, {training}, validation);
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->most.label, 1);
  EXPECT_DOUBLE_EQ(guess->metric, 0.7);
}

data::SourceInfo real_labels(std::uint64_t samples, double mean, double deviation) {
  data::SourceInfo source;
  source.samples = samples;
  source.hints.label_mean = mean;
  source.hints.label_deviation = deviation;
  return source;
}

TEST(LabelGuess, ARegressionIsJudgedByHalfTheSquaredDistanceFromTheMean) {
  job::Job job;
  job.promise.metric = plan::Metric::kValidationLoss;
  job.model.zoo = "ridge";
  // The labels 0, 2 and 10, 12: their mean is 6, and the squared distances are 36, 16, 16, 36.
  const double deviation = std::sqrt(2);
  const auto guess =
      mean_guess(job, {real_labels(2, 1, deviation), real_labels(2, 11, deviation)}, {});
  ASSERT_TRUE(guess);
  EXPECT_DOUBLE_EQ(guess->mean, 6);
  EXPECT_NEAR(guess->loss, 13, 1e-12);
  const auto other = mean_guess(job, {real_labels(2, 1, deviation)}, real_labels(2, 5, 2));
  ASSERT_TRUE(other);
  EXPECT_DOUBLE_EQ(other->mean, 5);
  EXPECT_NEAR(other->loss, 1, 1e-12);
  job.model.zoo = "logistic";
  EXPECT_FALSE(mean_guess(job, {real_labels(2, 1, deviation)}, {}));
}

}  // namespace label_guess_test
}  // namespace surety::orchestrator
