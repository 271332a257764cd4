// Whether some feature is much larger than the others: solvers then go where it leads, and learn
// nothing of the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sample.h"

namespace surety::data {

struct LargeFeature {
  std::uint32_t feature = 0;  // From 0.
  double largest = 0;         // Of the sizes of its values.
  double others = 0;          // Half of the features have no value that is larger.
};

class FeatureScales {
 public:
  // Features beyond this one are not looked at: memory is 4 bytes for each.
  static constexpr std::uint32_t kFeaturesMax = 1 << 16;

  // Images of bytes have one scale. O(values).
  void saw(const Samples& block, const Schema& schema);

  // The largest feature, where its values are at least 1,000 times those of half of the features
  // that have any value but 0; with less, training still gets along. O(features).
  [[nodiscard]] std::optional<LargeFeature> much_larger() const;

 private:
  std::vector<float> largest_;  // By feature, so far.
};

}  // namespace surety::data
