#include "data/sources/feature_scales.h"

#include <algorithm>
#include <cmath>

namespace surety::data {
namespace {

constexpr double kMuchLarger = 1000;

}  // namespace

void FeatureScales::observe(const Samples& block, const Schema& schema) {
  if (schema.layout == Layout::kDenseU8) return;
  const auto see = [&](std::size_t feature, float value) {
    largest_[feature] = std::max(largest_[feature], std::abs(value));
  };
  if (schema.layout == Layout::kDenseF32) {
    const std::size_t features = schema.features;
    const std::size_t watched = std::min<std::size_t>(features, kFeaturesMax);
    largest_.resize(std::max(largest_.size(), watched));
    for (std::size_t row = 0; row + features <= block.f32.size(); row += features) {
      for (std::size_t feature = 0; feature < watched; ++feature) {
        see(feature, block.f32[row + feature]);
      }
    }
    return;
  }
  for (std::size_t i = 0; i < block.index.size(); ++i) {
    const std::uint32_t feature = block.index[i];
    if (feature >= kFeaturesMax) continue;
    if (feature >= largest_.size()) largest_.resize(feature + 1);
    see(feature, block.f32[i]);
  }
}

std::optional<LargeFeature> FeatureScales::much_larger() const {
  std::vector<float> sizes;
  std::ranges::copy_if(largest_, std::back_inserter(sizes), [](float size) { return size > 0; });
  if (sizes.size() < 2) return std::nullopt;
  // The largest of the smaller half of the other features.
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2 - 1);
  std::ranges::nth_element(sizes, middle);
  const auto top = std::ranges::max_element(largest_);
  if (*top < kMuchLarger * *middle) return std::nullopt;
  return LargeFeature{.feature = static_cast<std::uint32_t>(top - largest_.begin()),
                      .largest = *top,
                      .others = *middle};
}

}  // namespace surety::data
