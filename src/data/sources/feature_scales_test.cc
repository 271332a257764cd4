#include "data/sources/feature_scales.h"

#include <gtest/gtest.h>

namespace surety::data {
namespace feature_scales_test {

std::optional<LargeFeature> of_rows(std::uint32_t features, const std::vector<float>& values) {
  FeatureScales scales;
  Samples block;
  block.f32.assign(values.begin(), values.end());
  scales.observe(block, {.layout = Layout::kDenseF32, .features = features});
  return scales.much_larger();
}

TEST(FeatureScales, AFeatureAThousandTimesTheOthersIsNamed) {
  const auto large = of_rows(3, {1, -2e6f, 0.5f, -1, 10, 2});
  ASSERT_TRUE(large);
  EXPECT_EQ(large->feature, 1u);
  EXPECT_EQ(large->largest, 2e6);
  EXPECT_EQ(large->others, 1);
  EXPECT_TRUE(of_rows(2, {1, 1000}));
  // Two of the four other features, those with 4 and 40, are small enough.
  EXPECT_EQ(of_rows(5, {250, 2020, 99263, 4, 40})->others, 40);
}

TEST(FeatureScales, FeaturesThatDifferByLessOrAreAllLargeAreNoTrouble) {
  EXPECT_FALSE(of_rows(3, {1, 900, 1, 1, 1, 1}));
  EXPECT_FALSE(of_rows(2, {1e6f, 2e6f}));
  EXPECT_FALSE(of_rows(3, {0, 0, 5e6f}));  // There is no other feature to compare with.
  EXPECT_FALSE(of_rows(1, {1e9f}));
}

TEST(FeatureScales, SparseRowsAreLookedAtByTheirIndices) {
  FeatureScales scales;
  Samples block;
  block.index = {0, 7, 3, FeatureScales::kFeaturesMax};
  block.f32 = {1, 5e4f, 2, 1e9f};
  scales.observe(block, {.layout = Layout::kSparse});
  const auto large = scales.much_larger();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->feature, 7u);
}

}  // namespace feature_scales_test
}  // namespace surety::data
