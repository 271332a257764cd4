// Finds a feature that is much larger than the others. Solvers would follow this feature, and learn
// nothing from the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sample.h"

namespace surety::data {

struct LargeFeature {
  std::uint32_t feature = 0;  // Counted from 0.
  double largest = 0;         // The largest absolute value of the feature.
  double others = 0;          // Half of the features have no absolute value above this.
};

class FeatureScales {
 public:
  // Features from this index on are ignored; each feature takes 4 bytes of memory.
  static constexpr std::uint32_t kFeaturesMax = 1 << 16;

  // Counts a block. Images of bytes are ignored, because their features have one scale. O(values).
  void observe(const Samples& block, const Schema& schema);

  // The largest feature, if its values are at least 1,000 times those of half of the features that
  // have a value other than 0. Training still works with a smaller factor. O(features).
  [[nodiscard]] std::optional<LargeFeature> much_larger() const;

 private:
  std::vector<float> largest_;  // Largest absolute value of each feature so far.
};

}  // namespace surety::data
