// Whether labels are classes: the one rule for all formats whose labels are numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace surety::data {

// Labels 0, 1, 2, ... are classes, as many as the largest plus one. Anything else (-1, 2.5, or a
// number beyond kClassesMax) makes all of them plain numbers: 0 classes.
class LabelRange {
 public:
  // More classes than this would be a year or a price; twice as many would do no harm.
  static constexpr std::uint32_t kClassesMax = 65536;

  // REQUIRES: finite.
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
