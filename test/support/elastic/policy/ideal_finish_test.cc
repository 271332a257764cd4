#include "test/support/elastic/policy/ideal_finish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace surety::elastic {
namespace ideal_finish_test {

using ::testing::DoubleEq;

// Speeds 1 and 1/2 are 1.5 samples a second: 30 samples take 20 s.
TEST(IdealFinish, IsWorkOverTheSumOfSpeeds) {
  EXPECT_THAT(ideal_finish_s(std::vector{1.0, 2.0}, 30), DoubleEq(20));
  EXPECT_EQ(ideal_finish_s(std::vector{1.0, 2.0}, 0), 0);
}

}  // namespace ideal_finish_test
}  // namespace surety::elastic
