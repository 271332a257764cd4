// Sparse rows with labels of -1 and +1, for linear models without data from outside: like lines of
// text, of which a true linear model decides the label.
//
// Sample i is a pure function of (options but `samples`, i), as with digits (digits.h): two sources
// with the same seed and disjoint [first, first + samples) share no sample and have the same truth.
//
// A row draws between half and one and a half times `nonzeros` words from a vocabulary of
// `features`, by Zipf's law with exponent 1: the rank is exp(u ln(features + 1)) - 1 rounded down.
// A word that came c times weighs (1 + ln c)(1 + ln(1 + rank)), since rare words say more, and the
// row is scaled to length 1. The label is the sign of the row times a standard normal vector that
// belongs to the seed; `label_noise` of the labels are turned round.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

struct SyntheticOptions {
  std::uint64_t samples = 20000;  // 1 to 10^9.
  std::uint64_t seed = 1;
  std::uint32_t features = 5000;  // 1 to 10^8.
  std::uint32_t nonzeros = 30;    // 1 to 10^5: words drawn for a row, on average.
  std::uint64_t first = 0;        // Index of the first sample, up to 10^15.
  double label_noise = 0.05;      // 0..1.
};

// From the URL's options; InvalidInput, with key, found and expected, where out of range.
[[nodiscard]] Result<SyntheticOptions> parse_synthetic_options(const SourceUrl& url);

struct SyntheticRow {
  std::vector<std::uint32_t> index;  // Rising.
  std::vector<float> value;
  float label = 1;
  float truth = 1;  // Before label noise.
};

// Sample number `index` (counted from 0, not from options.first). O(nonzeros log(nonzeros)).
[[nodiscard]] SyntheticRow draw_row(const SyntheticOptions& options, std::uint64_t index);

}  // namespace surety::data
