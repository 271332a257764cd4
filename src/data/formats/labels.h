// Decides whether labels are classes, by one rule for all formats whose labels are numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace surety::data {

// Labels 0, 1, 2, ... are classes; their number is the largest label plus one. If any label is
// something else (-1, 2.5, or a number from kClassesMax on), all labels are plain numbers: 0
// classes.
class LabelRange {
 public:
  // A larger label is probably a year or a price. The exact limit does not matter.
  static constexpr std::uint32_t kClassesMax = 65536;

  // REQUIRES: `label` is finite.
  void add(float label) {
    const bool is_class = label >= 0 && label < static_cast<float>(kClassesMax) &&
                          label == static_cast<float>(static_cast<std::uint32_t>(label));
    if (is_class) {
      classes_ = std::max(classes_, static_cast<std::uint32_t>(label) + 1);
    } else {
      numbers_ = true;
    }
  }

  [[nodiscard]] std::uint32_t classes() const { return numbers_ ? 0 : classes_; }

 private:
  std::uint32_t classes_ = 0;
  bool numbers_ = false;
};

}  // namespace surety::data
