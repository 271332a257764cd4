#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety {
namespace statistics_test {

TEST(StudentProbability, IsThatOfTheTables) {
  EXPECT_NEAR(student_probability(1, 1), 0.75, 1e-12);
  EXPECT_NEAR(student_probability(-1.8856, 2), 0.1, 1e-5);
  EXPECT_NEAR(student_probability(2.3534, 3), 0.95, 1e-5);
  EXPECT_NEAR(student_probability(-3.7469, 4), 0.01, 1e-5);
  EXPECT_NEAR(student_probability(2.0150, 5), 0.95, 1e-5);
  EXPECT_NEAR(student_probability(1.8125, 10), 0.95, 1e-5);
  EXPECT_NEAR(student_probability(1.5, 2001), normal_probability(1.5), 1e-4);
  EXPECT_EQ(student_probability(0, 6), 0.5);
}

TEST(Statistics, PercentileIsTheOrderStatisticThatConfidenceOfTheValuesReach) {
  std::vector<double> values;
  for (int i = 20; i >= 1; --i) values.push_back(i);
  EXPECT_EQ(percentile_of(values, 0.9), 3);  // 18 of the 20 values are at or above 3.
  EXPECT_EQ(percentile_of(values, 0.95), 2);
  EXPECT_EQ(percentile_of({7}, 0.9), 7);
}

TEST(Statistics, OneInTenMayFailAtAConfidenceOfNinety) {
  EXPECT_EQ(may_fail(10, 0.9), 1u);  // In floating point 10 (1 - 0.9) is slightly less than 1.
  EXPECT_EQ(may_fail(9, 0.9), 0u);
}

TEST(Statistics, ValuesFarBelowTheMeanCountForBothSides) {
  const std::vector<double> even{-1, 1, -1, 1};
  EXPECT_DOUBLE_EQ(variance_below(even), variance(even));
  // One of four is 3 below the mean: 9 * 4 / 3. The variance of all values is 12 / 3.
  const std::vector<double> one_slow{-3, 1, 1, 1};
  EXPECT_DOUBLE_EQ(variance_below(one_slow), 12);
  EXPECT_DOUBLE_EQ(variance(one_slow), 4);
  EXPECT_DOUBLE_EQ(variance_below(std::vector<double>{3, -1, -1, -1}), 4.0 / 3);
}

TEST(Statistics, AShareOfNoneOrAllIsStillUncertain) {
  EXPECT_DOUBLE_EQ(share_se(0.2, 100), 0.04);
  // One of each kind more: 1 of 102, whose standard error is smaller than that of 10 of 100.
  EXPECT_DOUBLE_EQ(share_se(0, 100), std::sqrt(1.0 / 102 * 101 / 102 / 100));
  EXPECT_NEAR(share_se(1, 100), share_se(0, 100), 1e-15);
}

}  // namespace statistics_test
}  // namespace surety
