#include "plan/pool/another_attempt.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace surety::plan {
namespace another_attempt_test {

TEST(AnotherAttempt, TwoAttemptsSayNothing) {
  EXPECT_EQ(chance_of_another(std::vector<double>{0.4, 0.41}, 0.1, 0.01, 5), 1);
}

TEST(AnotherAttempt, HardlyReachesAMetricFarFromAllBefore) {
  const std::vector<double> bests = {0.40, 0.41, 0.39};
  EXPECT_LT(chance_of_another(bests, 0.2, 0.01, 1), 0.01);
  EXPECT_GT(chance_of_another(bests, 0.39, 0.01, 1), 0.2);
  EXPECT_NEAR(chance_of_another(bests, 0.40, 0.01, 1), 0.5, 1e-9);
  // If attempts are similar by chance, their deviation is not assumed to be 0.
  EXPECT_GT(chance_of_another(std::vector<double>{0.4, 0.4, 0.4}, 0.39, 0.03, 1), 0.1);
}

TEST(AnotherAttempt, MoreAttemptsHaveMoreChances) {
  const std::vector<double> bests = {0.40, 0.41, 0.39};
  const double once = chance_of_another(bests, 0.37, 0.01, 1);
  EXPECT_NEAR(chance_of_another(bests, 0.37, 0.01, 2), 1 - (1 - once) * (1 - once), 1e-9);
  EXPECT_EQ(chance_of_another(bests, 0.37, 0.01, 0), 0);
}

// The share of jobs in which the next attempt reaches a metric that was called unlikely.
TEST(AnotherAttempt, TheChanceIsThatOfTheNextAttempt) {
  Random random(3);
  for (const double level : {0.05, 0.1, 0.3}) {
    int called = 0;
    int reached = 0;
    for (int job = 0; job < 20000; ++job) {
      std::vector<double> bests;
      for (int i = 0; i < 3; ++i) bests.push_back(random.normal());
      const double goal = -4 * random.uniform();
      const double chance = chance_of_another(bests, goal, 0, 1);
      if (chance > level) continue;
      ++called;
      reached += random.normal() <= goal ? 1 : 0;
    }
    EXPECT_GT(called, 100);
    EXPECT_LT(reached, level * called);
  }
}

}  // namespace another_attempt_test
}  // namespace surety::plan
