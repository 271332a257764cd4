// Digits as if drawn by hand, for quickstarts and tests that have no data set: 28 x 28 grey images,
// white pen on black, like MNIST but of a difficulty that is chosen.
//
// Sample i is a pure function of (options but `samples`, i): readers can start anywhere, and two
// sources with the same seed and disjoint [first, first + samples) share no sample. Labels are
// balanced: of samples i with the same i / classes, each label has one, in an order of their own.
// (label_noise comes after that.)
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

constexpr std::uint32_t kDigitSide = 28;
constexpr std::uint32_t kDigitPixels = kDigitSide * kDigitSide;

struct DigitsOptions {
  std::uint64_t samples = 8000;  // 1 to 10^9.
  std::uint64_t seed = 1;
  double noise = 0.3;          // 0..1: distortion, thickness and pixel noise. At 0.3 a small
                               // convolutional network learns 97 to 99 % from 8,000 samples.
  std::uint32_t classes = 10;  // 2..10: only the digits below.
  std::uint64_t first = 0;     // Index of the first sample, up to 10^15.
  double label_noise = 0;      // 0..1: share of labels replaced by another class, evenly drawn.
};

// From the URL's options; InvalidInput, with key, found and expected, where out of range.
[[nodiscard]] Result<DigitsOptions> parse_digits_options(const SourceUrl& url);

struct Digit {
  std::array<std::uint8_t, kDigitPixels> pixels{};  // Row by row.
  std::uint32_t drawn = 0;                          // What the picture shows.
  std::uint32_t label = 0;  // What it says that it shows: differs by label_noise only.
};

// Sample number `index` (counted from 0, not from options.first). About 20 us.
[[nodiscard]] Digit draw_digit(const DigitsOptions& options, std::uint64_t index);

}  // namespace surety::data
