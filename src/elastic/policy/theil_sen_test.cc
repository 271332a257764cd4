#include "elastic/policy/theil_sen.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace theil_sen_test {

using ::testing::DoubleEq;

TEST(TheilSen, IsTheSlopeOfALine) {
  EXPECT_THAT(theil_sen_slope(std::vector<Observation>{{0, 1}, {1, 3}, {3, 7}}), DoubleEq(2));
}

TEST(TheilSen, OneWildPointOfFiveChangesLittle) {
  const std::vector<Observation> points{{0, 0}, {1, 1}, {2, 2}, {3, 300}, {4, 4}};
  EXPECT_THAT(theil_sen_slope(points), DoubleEq(1));
}

TEST(TheilSen, PointsAtTheSameTimeDoNotCount) {
  EXPECT_THAT(theil_sen_slope(std::vector<Observation>{{0, 0}, {0, 50}, {1, 25}}), DoubleEq(0));
}

}  // namespace theil_sen_test
}  // namespace surety::elastic
