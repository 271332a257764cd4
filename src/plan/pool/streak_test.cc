#include "plan/pool/streak.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace streak_test {

TEST(Streak, TwoDecisionsInARowAreLong) {
  Streak streak;
  EXPECT_FALSE(streak.is_long());
  streak.count(true);
  EXPECT_FALSE(streak.is_long());
  streak.count(true);
  EXPECT_TRUE(streak.is_long());
  streak.count(true);
  EXPECT_TRUE(streak.is_long());
}

TEST(Streak, AnotherDecisionEndsIt) {
  Streak streak;
  streak.count(true);
  streak.count(false);
  streak.count(true);
  EXPECT_FALSE(streak.is_long());
  streak.count(true);
  streak.count(false);
  EXPECT_FALSE(streak.is_long());
}

}  // namespace streak_test
}  // namespace surety::plan
