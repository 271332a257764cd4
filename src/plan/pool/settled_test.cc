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

TEST(HasSettled, AMetricThatStillFallsALittleHasNotIfManyPassesAreLeft) {
  EXPECT_TRUE(has_settled(falling(25, 0.3, 0), 1));
  EXPECT_FALSE(has_settled(falling(25, 0.3, 0), 1000000));
}

TEST(HasSettled, AGapThatFallsByTheSameFactorWithEachPassHasNot) {
  EXPECT_FALSE(has_settled(falling(40, 0, 0), 10));
}

// A worker is lost, and with it a part of the model, which is learned again.
TEST(HasSettled, AMetricThatHasRisenAndFallsAgainHasNot) {
  std::vector<SeenMetric> seen = falling(20, 0.3, 0.01);
  EXPECT_TRUE(has_settled(seen, 100));
  for (const double metric : {0.36, 0.33, 0.32}) {
    seen.push_back({metric, 0.01});
    EXPECT_FALSE(has_settled(seen, 100)) << metric;
  }
  for (int k = 0; k < 6; ++k) seen.push_back({0.3, 0.01});
  EXPECT_FALSE(has_settled(seen, 100));
  seen.push_back({0.3, 0.01});
  EXPECT_TRUE(has_settled(seen, 100));
}

TEST(HasSettled, FewPassesAreNotEnough) {
  const std::vector<SeenMetric> flat(6, {0.3, 0.01});
  EXPECT_FALSE(has_settled(flat, 100));
  EXPECT_FALSE(has_settled({}, 100));
}

}  // namespace settled_test
}  // namespace surety::plan
