#include "plan/pool/few_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::plan {
namespace few_samples_test {

using ::testing::HasSubstr;
using ::testing::Not;

// The share of errors may be 0.1. The margin is 1.645 sqrt(2) times the standard error of the model
// that has it.
DecidingEvaluation accuracy_of(std::uint64_t samples) {
  return {.metric = Metric::kAccuracy, .target = 0.1, .value = 0.9, .se = 0, .samples = samples};
}

DecidingEvaluation loss_of(double value, double se) {
  return {.target = 0.5, .value = value, .se = se, .samples = 45};
}

TEST(FewSamples, AnAccuracyTellsAtOnceHowManySamplesThereAreAndWouldDo) {
  EXPECT_EQ(few_samples_words(accuracy_of(25)),
            "only 25 validation samples decide when to stop, and about as many certify the result: "
            "to be certified with a probability of at least 95 %, the accuracy must be better than "
            "the target by 0.1; with about 5000 validation samples in all, 0.01 would do");
}

TEST(FewSamples, AMarginThatNoModelCanHaveIsCalledImpossible) {
  EXPECT_THAT(few_samples_words(accuracy_of(10)).value(),
              HasSubstr("but no model can be that good"));
}

TEST(FewSamples, AMarginThatAModelCanHaveIsNotCalledImpossible) {
  const auto words = few_samples_words(accuracy_of(100));
  ASSERT_TRUE(words.has_value());
  EXPECT_THAT(*words, HasSubstr("better than the target by 0.06; with about"));
  EXPECT_THAT(*words, Not(HasSubstr("no model")));
}

TEST(FewSamples, EnoughSamplesNeedNoHint) {
  EXPECT_FALSE(few_samples_words(accuracy_of(10000)).has_value());
  EXPECT_FALSE(few_samples_words(loss_of(0.5, 0.02)).has_value());
}

// The margin is 0.186. The standard error of the loss of a model that has learned little says
// nothing about that at the target.
TEST(FewSamples, ALossTellsOnceItIsNearItsTarget) {
  EXPECT_FALSE(few_samples_words(loss_of(0.7, 0.08)).has_value());
  const auto words = few_samples_words(loss_of(0.68, 0.08));
  ASSERT_TRUE(words.has_value());
  EXPECT_THAT(*words, HasSubstr("only 45 validation samples"));
  EXPECT_THAT(*words, HasSubstr("the validation loss must be better than the target by 0.19; with "
                                "about 1300 validation samples in all, 0.05 would do"));
}

TEST(FewSamples, ADualityGapIsExact) {
  EXPECT_FALSE(
      few_samples_words(
          {.metric = Metric::kDualityGap, .target = 0.1, .value = 0.1, .se = 1, .samples = 2})
          .has_value());
}

}  // namespace few_samples_test
}  // namespace surety::plan
