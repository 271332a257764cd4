#include "data/sources/feature_scales.h"

#include <algorithm>
#include <cmath>

namespace surety::data {

void FeatureScales::observe(const Samples& block, const Schema& schema) {
  if (schema.layout == Layout::kDenseU8) return;
  samples_ += block.size();
  const auto see = [&](std::size_t feature, float value) {
    if (value == 0) return;
    Values& values = values_[feature];
    if (values.count == 0) values.first = value;
    values.differ |= value != values.first;
    values.squares += static_cast<double>(value) * value;
    ++values.count;
  };
  if (schema.layout == Layout::kDenseF32) {
    const std::size_t features = schema.features;
    const std::size_t watched = std::min<std::size_t>(features, kFeaturesMax);
    values_.resize(std::max(values_.size(), watched));
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
    if (feature >= values_.size()) values_.resize(feature + 1);
    see(feature, block.f32[i]);
  }
}

std::optional<LargeFeature> FeatureScales::largest() const {
  const auto size_of = [](const Values& values) {
    return values.count == 0 ? 0.0 : std::sqrt(values.squares / static_cast<double>(values.count));
  };
  LargeFeature largest;
  std::vector<double> sizes;
  for (std::size_t feature = 0; feature < values_.size(); ++feature) {
    const double size = size_of(values_[feature]);
    if (size > 0) sizes.push_back(size);
    if (size <= largest.size) continue;
    largest.feature = static_cast<std::uint32_t>(feature);
    largest.size = size;
  }
  if (sizes.size() < 2) return std::nullopt;
  // The largest of the smaller half.
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2 - 1);
  std::ranges::nth_element(sizes, middle);
  largest.others = *middle;
  return largest;
}

bool FeatureScales::has_constant() const {
  return std::ranges::any_of(values_, [&](const Values& values) {
    return values.count > 0 && values.count == samples_ && !values.differ;
  });
}

}  // namespace surety::data
