#include "data/sources/feature_scales.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace surety::data {
namespace feature_scales_test {

FeatureScales of_rows(std::uint32_t features, const std::vector<float>& values) {
  FeatureScales scales;
  Samples block;
  block.f32.assign(values.begin(), values.end());
  block.label.resize(values.size() / features);
  scales.observe(block, {.layout = Layout::kDenseF32, .features = features});
  return scales;
}

TEST(FeatureScales, TheLargestFeatureIsComparedWithTheSmallerHalf) {
  const auto large = of_rows(3, {1, -2e6f, 0.5f, -1, 2e6f, 0.5f}).largest();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->feature, 1u);
  EXPECT_DOUBLE_EQ(large->size, 2e6);
  EXPECT_DOUBLE_EQ(large->others, 0.5);
  EXPECT_DOUBLE_EQ(large->factor(), 4e6);
  // Two of the four other features, those with 4 and 40, are small enough.
  EXPECT_DOUBLE_EQ(of_rows(5, {250, 2020, 99263, 4, 40}).largest()->others, 40);
}

TEST(FeatureScales, ASizeIsTheRootMeanSquareOfTheValuesOtherThan0) {
  EXPECT_DOUBLE_EQ(of_rows(2, {1, 0, 1, 3, 1, -4}).largest()->size, std::sqrt(12.5));
}

TEST(FeatureScales, OneFeatureAloneIsNotLarge) {
  EXPECT_FALSE(of_rows(3, {0, 0, 5e6f}).largest());  // There is no other feature to compare with.
  EXPECT_FALSE(of_rows(1, {1e9f}).largest());
}

TEST(FeatureScales, SparseRowsAreLookedAtByTheirIndices) {
  FeatureScales scales;
  Samples block;
  block.index = {0, 7, 3, FeatureScales::kFeaturesMax};
  block.f32 = {1, 5e4f, 2, 1e9f};
  scales.observe(block, {.layout = Layout::kSparse});
  const auto large = scales.largest();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->feature, 7u);
}

TEST(FeatureScales, AConstantHasOneValueInAllSamplesOtherThan0) {
  EXPECT_TRUE(of_rows(2, {1, 5, 1, 6}).has_constant());
  EXPECT_FALSE(of_rows(2, {0, 5, 0, 6}).has_constant());
  EXPECT_FALSE(of_rows(2, {1, 5, 2, 6}).has_constant());
  EXPECT_FALSE(of_rows(2, {1, 5, 0, 6}).has_constant());
}

}  // namespace feature_scales_test
}  // namespace surety::data
