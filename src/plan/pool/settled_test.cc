#include "plan/pool/settled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace surety::plan {
namespace settled_test {

// The metric falls to `floor`, by half of the rest with each pass.
std::vector<SeenMetric> falling(std::uint32_t passes, double floor, double se) {
  std::vector<SeenMetric> out;
  for (std::uint32_t k = 1; k <= passes; ++k) out.push_back({floor + std::pow(0.5, k), se});
  return out;
}

TEST(HasSettled, AMetricThatStaysWithinAPartOfItsNoiseHas) {
  EXPECT_FALSE(has_settled(falling(7, 0.3, 0.01), 100));
  EXPECT_FALSE(has_settled(falling(10, 0.3, 0.01), 100));
  EXPECT_TRUE(has_settled(falling(20, 0.3, 0.01), 100));
}

TEST(HasSettled, ThatStillFallsByAMillionthAPassHasNotIfAMillionPassesAreLeft) {
  EXPECT_TRUE(has_settled(falling(20, 0.3, 0), 1));
  EXPECT_FALSE(has_settled(falling(20, 0.3, 0), 1000000));
}

TEST(HasSettled, AGapThatFallsByTheSameFactorWithEachPassHasNot) {
  EXPECT_FALSE(has_settled(falling(40, 0, 0), 10));
}

TEST(HasSettled, ARiseIsNoImprovement) {
  std::vector<SeenMetric> rising;
  for (int k = 0; k < 7; ++k) rising.push_back({0.3 + 0.01 * k, 0.01});
  EXPECT_TRUE(has_settled(rising, 100));
}

TEST(HasSettled, FewPassesTellNothing) {
  const std::vector<SeenMetric> flat(6, {0.3, 0.01});
  EXPECT_FALSE(has_settled(flat, 100));
  EXPECT_FALSE(has_settled({}, 100));
}

}  // namespace settled_test
}  // namespace surety::plan
