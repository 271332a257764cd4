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

TEST(TimeReserve, WorkersMayNeedTwiceAsLongToStartAsThoseOfTheProfile) {
  plan::Profile profile;
  profile.starts = {{.seconds = 2, .workers = 1}, {.seconds = 3, .workers = 2}};
  profile.curves = {{.version = "full", .eval_seconds = 0.1}, {.version = "full"}};
  EXPECT_DOUBLE_EQ(outside_training({}, profile, 100).seconds, 6 + 1 + 0.3);
}

TEST(TimeReserve, TheReservePaysForTheMostExpensiveNodesAsManyAsTheProfileHad) {
  plan::Profile profile;
  profile.starts = {{.seconds = 2, .workers = 3}};
  plan::Instance instance;
  instance.nodes = {{.name = "cheap", .count = 8, .price_per_s = 1},
                    {.name = "expensive", .count = 2, .price_per_s = 10}};
  EXPECT_DOUBLE_EQ(outside_training(instance, profile, 100).cost, (4 + 1) * (2 * 10 + 1));
}

TEST(TimeReserve, AProfileWithoutStartsStillNeedsTimeToCertify) {
  EXPECT_DOUBLE_EQ(outside_training({}, {}, 100).seconds, 1);
}

}  // namespace time_reserve_test
}  // namespace surety::orchestrator
