// Generated digits, for tests that learn and predict them.
#pragma once

#include <cstdint>

#include "data/generators/digits.h"
#include "data/sample.h"

namespace surety::learn {
namespace digits_test {

inline const data::Schema kDigits{.layout = data::Layout::kDenseU8,
                                  .channels = 1,
                                  .height = data::kDigitSide,
                                  .width = data::kDigitSide,
                                  .features = data::kDigitPixels,
                                  .classes = 10};

// `count` digits, from number `first` on.
inline data::Samples digits(std::uint64_t first, std::uint32_t count) {
  data::Samples samples;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const data::Digit digit = data::draw_digit({}, i);
    samples.u8.insert(samples.u8.end(), digit.pixels.begin(), digit.pixels.end());
    samples.label.push_back(static_cast<float>(digit.label));
  }
  return samples;
}

}  // namespace digits_test
}  // namespace surety::learn
