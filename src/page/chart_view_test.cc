#include "page/chart_view.h"

#include <gtest/gtest.h>

namespace surety::page {
namespace chart_view_test {

TEST(Extent, ContainsAllFiniteValues) {
  Extent extent;
  for (const double value : {3.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    extent.add(value);
  }
  EXPECT_EQ(extent.min, -1);
  EXPECT_EQ(extent.max, 3);
}

TEST(Extent, ASingleValueGetsRoomToo) {
  const Extent wide = Extent{.min = 0, .max = 10}.widened(0.1);
  EXPECT_DOUBLE_EQ(wide.min, -1);
  EXPECT_DOUBLE_EQ(wide.max, 11);
  for (const double value : {0.0, 2.0, -2.0}) {
    const Extent room = Extent{.min = value, .max = value}.widened(0.05);
    EXPECT_LT(room.min, value);
    EXPECT_GT(room.max, value);
  }
}

}  // namespace chart_view_test
}  // namespace surety::page
