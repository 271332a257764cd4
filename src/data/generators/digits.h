// Generated handwritten digits, for quickstarts and tests without a data set: 28 x 28 grey images,
// white pen on black, like MNIST but with a difficulty that can be set.
//
// Sample i is a pure function of i and of all options except `samples`. So readers can start
// anywhere, and two sources with the same seed and disjoint ranges [first, first + samples) have no
// sample in common. Labels are balanced: the samples with the same i / classes have each label
// once, in a random order. label_noise is applied after that.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "data/url.h"

namespace surety::data {

constexpr std::uint32_t kDigitSide = 28;
constexpr std::uint32_t kDigitPixels = kDigitSide * kDigitSide;

struct DigitsOptions {
  std::uint64_t samples = 8000;  // The number is from 1 to 10^9.
  std::uint64_t seed = 1;
  // 0..1: distortion, pen thickness and pixel noise. At 0.3 a small convolutional network learns 97
  // to 99 % from 8,000 samples.
  double noise = 0.3;
  std::uint32_t classes = 10;  // 2..10: only the digits below this number are drawn.
  std::uint64_t first = 0;     // Index of the first sample, up to 10^15.
  // 0..1: share of labels that are replaced by another class, drawn uniformly.
  double label_noise = 0;
};

// Options from the URL. InvalidInput, with key, found and expected, if one is out of range.
[[nodiscard]] Result<DigitsOptions> parse_digits_options(const SourceUrl& url);

struct Digit {
  std::array<std::uint8_t, kDigitPixels> pixels{};  // Row by row.
  std::uint32_t drawn = 0;                          // The digit that the picture shows.
  std::uint32_t label = 0;  // The label of the sample; it differs from `drawn` only by label_noise.
};

// Sample number `index` (counted from 0, not from options.first). Takes about 20 us.
[[nodiscard]] Digit draw_digit(const DigitsOptions& options, std::uint64_t index);

}  // namespace surety::data
