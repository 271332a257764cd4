#include "data/sources/label_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace surety::data {
namespace label_moments_test {

TEST(LabelMoments, BlocksCountTogether) {
  LabelMoments moments;
  moments.observe(std::vector<float>{1, 2});
  moments.observe(std::vector<float>{6});
  EXPECT_DOUBLE_EQ(moments.mean(), 3);
  EXPECT_DOUBLE_EQ(moments.deviation(), std::sqrt(7.0));
}

TEST(LabelMoments, LabelsFarFromZeroKeepTheirDeviation) {
  LabelMoments moments;
  moments.observe(std::vector<float>{1e7f, 1e7f + 1, 1e7f + 2});
  EXPECT_DOUBLE_EQ(moments.deviation(), 1);
}

TEST(LabelMoments, ASingleLabelHasNoDeviation) {
  LabelMoments moments;
  EXPECT_EQ(moments.mean(), 0);
  moments.observe(std::vector<float>{5});
  EXPECT_EQ(moments.deviation(), 0);
}

}  // namespace label_moments_test
}  // namespace surety::data
