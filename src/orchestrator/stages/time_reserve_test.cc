#include "orchestrator/stages/time_reserve.h"

#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace time_reserve_test {

TEST(TimeReserve, AnEvaluationIsReservedThreeTimesAndASecondToLoad) {
  EXPECT_DOUBLE_EQ(certify_reserve_s(0.5, 60), 2.5);
}

TEST(TimeReserve, LoadingTakesAtMostATenthOfTheDeadline) {
  EXPECT_DOUBLE_EQ(certify_reserve_s(0, 4), 0.4);
}

TEST(TimeReserve, LoadingCostsAtMostATenthOfTheBudget) {
  EXPECT_DOUBLE_EQ(certify_reserve_cost(0.5, 60, 4, 100), 4 * 2.5);
  EXPECT_DOUBLE_EQ(certify_reserve_cost(0, 60, 4, 1), 0.1);
  EXPECT_DOUBLE_EQ(certify_reserve_cost(0.5, 60, 4, 1), 0.1 + 4 * 1.5);
}

TEST(TimeReserve, TheBudgetForTrainingLeavesExactlyThisMuch) {
  for (const double price : {0.01, 4.0}) {
    for (const double cost : {0.001, 1.0, 100.0}) {
      const double budget = budget_for_training(cost, 0.5, 60, price);
      EXPECT_NEAR(budget - certify_reserve_cost(0.5, 60, price, budget), cost, 1e-9 * budget);
    }
  }
}

TEST(TimeReserve, WorkersMayNeedTwiceAsLongToStartAsThoseOfTheProfile) {
  plan::Profile profile;
  profile.starts = {{.seconds = 2, .workers = 1}, {.seconds = 3, .workers = 2}};
  profile.curves = {{.version = "full", .eval_seconds = 0.1}, {.version = "full"}};
  EXPECT_DOUBLE_EQ(outside_training_s(profile, 100), 6 + 1 + 0.3);
}

TEST(TimeReserve, TheTimeBeforeTheFirstPassMayCostTwiceAsMuchAsInTheProfile) {
  plan::Profile profile;
  profile.starts = {{.seconds = 5, .workers = 1, .paid_seconds = 2},
                    {.seconds = 9, .workers = 2, .paid_seconds = 0.5}};
  EXPECT_DOUBLE_EQ(start_cost(profile, 0.25), 1);
  EXPECT_DOUBLE_EQ(start_cost({}, 0.25), 0);
}

TEST(TimeReserve, TheLowestPriceIsThatOfTheCheapestNodesAsManyAsTheProfileHad) {
  plan::Profile profile;
  profile.starts = {{.seconds = 2, .workers = 3}};
  plan::Instance instance;
  instance.nodes = {{.name = "expensive", .count = 8, .price_per_s = 10},
                    {.name = "cheap", .count = 2, .price_per_s = 1}};
  EXPECT_DOUBLE_EQ(lowest_price(instance, profile), 2 * 1 + 10);
}

TEST(TimeReserve, AProfileWithoutStartsStillNeedsTimeToCertify) {
  EXPECT_DOUBLE_EQ(outside_training_s({}, 100), 1);
}

}  // namespace time_reserve_test
}  // namespace surety::orchestrator
