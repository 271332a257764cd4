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
  return label_guess(job, sources);
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
  EXPECT_FALSE(label_guess({}, {}));
}

}  // namespace label_guess_test
}  // namespace surety::orchestrator
