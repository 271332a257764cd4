#include "learn/linear/solver/glm_penalty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace surety::learn {
namespace glm_penalty_test {

using ::testing::ElementsAre;

TEST(Penalty, SoftTakesTheThresholdOffAndNothingIsLeftBelowIt) {
  EXPECT_EQ(soft(5, 2), 3);
  EXPECT_EQ(soft(-5, 2), -3);
  EXPECT_EQ(soft(1.9, 2), 0);
  EXPECT_EQ(soft(-2, 2), 0);
  EXPECT_EQ(soft(7, 0), 7);
}

TEST(Penalty, LambdaIsSplitByTheShareOfTheL1Norm) {
  // With 10 samples lambda n is 2, and a quarter of it is L1.
  const Penalty penalty = penalty_of(0.2, 0.25, 10);
  EXPECT_EQ(penalty.l2, 1.5);
  EXPECT_EQ(penalty.l1, 0.5);
  EXPECT_EQ(penalty.value(std::vector<double>{2, -1}), 1.5 / 2 * 5 + 0.5 * 3);
}

TEST(Penalty, OnlyAWeakL2NormBesideAnL1NormNeedsACentre) {
  EXPECT_EQ(penalty_of(0.001, 0, 10).centre, 0);
  EXPECT_EQ(penalty_of(0.4, 0.5, 10).centre, 0);      // l2 = 2
  EXPECT_EQ(penalty_of(0.1, 0.75, 10).centre, 0.75);  // l2 = 0.25
  EXPECT_EQ(penalty_of(0.1, 1, 10).strength(), 1);
  EXPECT_EQ(penalty_of(0.4, 1, 10).strength(), 2);  // lambda n = 4
  EXPECT_EQ(penalty_of({}, 0, 10).strength(), 1);   // lambda is 1 / samples
}

TEST(Penalty, GapIsHowFarAWeightIsFromTheBestForItsSum) {
  // One weight, compared with all weights of a fine grid.
  for (const double l1_ratio : {0.0, 0.3, 0.9}) {
    const Penalty penalty = penalty_of(0.5, l1_ratio, 4);
    for (const float sum : {-3.0F, -0.4F, 0.0F, 0.7F, 2.0F}) {
      const double u = penalty.strength() * sum;
      double best = -std::numeric_limits<double>::infinity();
      for (int i = -4000; i <= 4000; ++i) {
        const std::vector<double> w{i * 1e-2};
        best = std::max(best, w[0] * u - penalty.value(w));
      }
      for (const double w : {-1.0, 0.0, 0.2}) {
        const double here = w * u - penalty.value(std::vector<double>{w});
        const double gap = penalty.gap(std::vector<double>{w}, std::vector<double>{sum}, 1);
        EXPECT_NEAR(gap, best - here, 1e-4) << l1_ratio << sum;
      }
      if (penalty.centre > 0) continue;  // With a centre, weights are not computed from sums.
      const double belongs = soft(sum, penalty.threshold());
      EXPECT_NEAR(penalty.gap(std::vector<double>{belongs}, std::vector<double>{sum}, 1), 0, 1e-14);
    }
  }
}

TEST(Penalty, WithoutL2NormDualsAreShrunkUntilEverySumIsWithinL1) {
  const Penalty lasso = penalty_of(0.125, 1, 8);  // l1 = 1, strength 1
  EXPECT_EQ(lasso.feasible_share(std::vector<double>{0.5, -1}), 1);
  EXPECT_EQ(lasso.feasible_share(std::vector<double>{1, -2}), 0.5);
  EXPECT_EQ(lasso.feasible_share(std::vector<double>{0, 0}), 1);
  // At the weights 0 and 3 the gap is 3 l1 - 3 (-1).
  EXPECT_EQ(lasso.gap(std::vector<double>{0, 3}, std::vector<double>{1, -2}, 0.5), 6);
}

TEST(Penalty, WeightsAreTheCentreOrTheSumsBeyondTheThreshold) {
  EXPECT_THAT(weights_of(std::vector<float>{9, 9}, std::vector<float>{1, 0}, 1), ElementsAre(1, 0));
  EXPECT_THAT(weights_of(std::vector<float>{3, -0.5F}, {}, 0.5), ElementsAre(2, 0));
  EXPECT_THAT(weights_of(std::vector<float>{3, -0.5F}, {}, 0), ElementsAre(3, -0.5F));
}

}  // namespace glm_penalty_test
}  // namespace surety::learn
