// The sizes of the features of a source. If one of them is much larger than the others, solvers
// follow this feature, and learn little from the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/sample.h"

namespace surety::data {

// The size of a feature is the root mean square of its values other than 0.
struct LargeFeature {
  std::uint32_t feature = 0;  // Counted from 0.
  std::string name;           // The source's name of it.
  double size = 0;
  double others = 0;  // Half of the features have at most this size.

  [[nodiscard]] double factor() const { return size / others; }
};

// Factors from which on training suffers. In a measurement, a column 0, 1, 2, ... n - 1 was added
// to eight features of size 1, and the models were trained for 30 passes. Logistic regression lost
// 0.03 of its accuracy with n = 300 and n = 1,000 (factors of 173 and 577), and 0.15 with n = 3,000
// (1,732). An MLP lost nothing with n = 30 (17), and learned nothing with n = 100 (57).
inline constexpr double kLargeForLinear = 300;
inline constexpr double kLargeForNetworks = 30;

class FeatureScales {
 public:
  // Features from this index on are ignored; each feature takes 24 bytes of memory.
  static constexpr std::uint32_t kFeaturesMax = 1 << 16;

  // Counts a block. Images of bytes are ignored, because their features have one scale. O(values).
  void observe(const Samples& block, const Schema& schema);

  // The largest feature, without its name. None if fewer than two features have a value other than
  // 0. O(features).
  [[nodiscard]] std::optional<LargeFeature> largest() const;
  // Whether a feature has the same value in all samples, other than 0. O(features).
  [[nodiscard]] bool has_constant() const;

 private:
  struct Values {
    double squares = 0;
    std::uint64_t count = 0;  // Values other than 0.
    float first = 0;          // The first of them.
    bool differ = false;
  };

  std::vector<Values> values_;  // Indexed by feature.
  std::uint64_t samples_ = 0;
};

}  // namespace surety::data
