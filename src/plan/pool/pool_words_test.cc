#include "plan/pool/pool_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::plan {
namespace pool_words_test {

using ::testing::HasSubstr;
using ::testing::Not;

// A refusal states a belief from a few passes and must not claim more.
TEST(PoolWords, ARefusalNamesItsEvidenceAndClaimsNothingBeyondTheLaws) {
  const std::string floor = refusal_words(ReasonClass::kFloor, {3, 1}, 0.9, 0.012, 0.446);
  EXPECT_THAT(floor, HasSubstr("judging by 3 passes of 1 attempt, the target is out of reach"));
  EXPECT_THAT(floor, HasSubstr("the probability of keeping the promise is 1.2 % on average over "
                               "the laws of learning that agree with these passes, and at most "
                               "44.6 % under 97.5 % of these laws"));
  EXPECT_THAT(floor, Not(HasSubstr("whatever")));
  EXPECT_THAT(
      refusal_words(ReasonClass::kDeadline, {3, 2}, 0.9, 0.0001, 0.3),
      HasSubstr(
          "judging by 3 passes of 2 attempts, the target can be reached, but not in that time "
          "with a probability of 90 %: the probability of keeping the promise is below 0.1 % on "
          "average"));
  EXPECT_THAT(refusal_words(ReasonClass::kBudget, {3, 2}, 0.9, 0.1, 0.3),
              HasSubstr("not for that money"));
}

TEST(PoolWords, AttemptsAtTheTargetWithoutTheMarginAreReportedWithTheMargin) {
  PoolOption option;
  option.attempt = 0;
  option.passes_left = 40;
  option.passes_low = 2;
  option.passes_high = 4;
  const std::string words = margin_words({.target = 0.5, .goal = 0.485, .probability = 0.9},
                                         forecast_words(option, ForecastScope::kAll, "loss 0.485"));
  EXPECT_EQ(
      words,
      "at the target, but not yet better by the required margin of 0.015 (with it, at most 5 % of "
      "all runs stop and then miss the target on the certifying samples); loss 0.485 is 2 to 4 "
      "more passes away (probability 80 %)");
  EXPECT_EQ(forecast_words(option, ForecastScope::kAll),
            "the target is 2 to 4 more passes away (probability 80 %)");
}

TEST(PoolWords, WhatWouldHaveBeenEnoughIsNamedIfItIsKnown) {
  EXPECT_EQ(enough_words({}), std::nullopt);
  EXPECT_EQ(enough_words({{.probability = 0.9, .deadline_s = {}, .budget = {}}}), std::nullopt);
  EXPECT_EQ(
      enough_words({{.probability = 0.5, .deadline_s = {}, .budget = 0.5},
                    {.probability = 0.9, .deadline_s = {}, .budget = 1.234}}),
      "the target would be reached with a probability of 50 % with a budget of about 0.50, and "
      "of 90 % with a budget of about 1.24 (on average over the laws of learning that agree "
      "with the passes of this run)");
}

TEST(PoolWords, WithoutMoneyForAPassTheBudgetThatPaysForOneIsNamed) {
  EXPECT_EQ(no_money_words(0.5, "full", 2),
            "no money is left for another pass: 0.5 of the budget is left after the cost of "
            "certifying is reserved, and a pass of full costs 2; a budget that is larger by about "
            "1.50 pays for one more pass");
  EXPECT_THAT(no_money_words(-1, "full", 2), HasSubstr("larger by about 3.00 pays"));
}

PoolOption option_with(double low, double high) {
  PoolOption option;
  option.attempt = 0;
  option.passes_left = 5;
  option.passes_low = low;
  option.passes_high = high;
  return option;
}

TEST(PoolWords, WithTooLittleEvidenceNoPassesAreNamed) {
  for (const double low : {2.0, 1e9}) {
    EXPECT_EQ(forecast_words(option_with(low, 1e9), ForecastScope::kNothing, "loss 0.3"),
              "it is too early to say when loss 0.3 is reached");
  }
}

// The evidence is enough for a forecast, but not for the statement that the target is not reached.
TEST(PoolWords, ATargetThatIsOutOfReachNeedsMoreEvidenceThanOneInReach) {
  EXPECT_EQ(forecast_words(option_with(6, 1e9), ForecastScope::kIfInReach),
            "it is too early to say when the target is reached");
  EXPECT_EQ(forecast_words(option_with(6, 1e9), ForecastScope::kAll),
            "this attempt will probably not reach the target in the 5 passes that it has left "
            "(probability 90 %)");
  EXPECT_EQ(forecast_words(option_with(4, 1e9), ForecastScope::kIfInReach),
            "the target is at least 4 more passes away (probability 90 %)");
}

// If the target is not reached within the few remaining passes, the text does not claim that the
// last pass reaches it.
TEST(PoolWords, WhetherATargetIsOutOfReachDependsOnThePassesThatAreLeft) {
  EXPECT_FALSE(is_out_of_reach(option_with(5, 5)));
  EXPECT_TRUE(is_out_of_reach(option_with(5.5, 1e9)));
  EXPECT_EQ(forecast_words(option_with(5, 5), ForecastScope::kAll),
            "the target is 5 more passes away (probability 80 %)");
}

// If the noise exceeds the target itself, no loss is low enough.
TEST(PoolWords, AnImpossibleMarginIsReportedWithAdvice) {
  EXPECT_THAT(
      margin_words({.target = 0.01, .goal = -0.02, .probability = 0.9}, "never"),
      HasSubstr("no result can be better than the target by this margin; more validation samples"));
}

}  // namespace pool_words_test
}  // namespace surety::plan
