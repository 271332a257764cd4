#include "plan/pool/past_best.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace surety::plan {
namespace past_best_test {

std::vector<SeenMetric> seen(const std::vector<double>& values, double se = 0.01) {
  std::vector<SeenMetric> out;
  for (const double value : values) out.push_back({value, se});
  return out;
}

TEST(PastBest, AMetricThatFallsOrIsConstantIsNotPastItsBest) {
  EXPECT_FALSE(is_past_its_best(seen({2, 1.5, 1.2, 1, 0.9, 0.85, 0.82, 0.8, 0.79})));
  EXPECT_FALSE(is_past_its_best(seen({2, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5})));
  EXPECT_FALSE(is_past_its_best({}));
}

// The best is 0.50, and each pass after it is worse by 0.02: after six of them the last three are
// worse by 0.1, more than four steps and the noise of 0.006.
TEST(PastBest, AMetricThatRisesFromPassToPassIsAfterSixPasses) {
  std::vector<double> values{2, 1, 0.50, 0.52, 0.54, 0.56, 0.58, 0.60};
  EXPECT_FALSE(is_past_its_best(seen(values)));
  values.push_back(0.62);
  EXPECT_TRUE(is_past_its_best(seen(values)));
}

TEST(PastBest, ARiseWithinTheNoiseOfEvaluationsIsNot) {
  const std::vector<double> values{2, 1, 0.50, 0.505, 0.51, 0.515, 0.52, 0.525, 0.53};
  EXPECT_TRUE(is_past_its_best(seen(values, 0.001)));
  EXPECT_FALSE(is_past_its_best(seen(values, 0.05)));
}

// In 2,000 attempts that only jitter about a constant, by 15 % as a checkpoint without averages
// does, over 14 passes.
TEST(PastBest, JitterIsHardlyEverTakenForARise) {
  Random random(5);
  int taken = 0;
  for (int attempt = 0; attempt < 2000; ++attempt) {
    std::vector<SeenMetric> passes;
    for (int pass = 0; pass < 14; ++pass) {
      passes.push_back({std::exp(0.15 * random.normal()), 0.01});
    }
    taken += is_past_its_best(passes) ? 1 : 0;
  }
  EXPECT_LE(taken, 60);
}

}  // namespace past_best_test
}  // namespace surety::plan
