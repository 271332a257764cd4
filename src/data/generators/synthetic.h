// Generated sparse rows with labels -1 and +1, for linear models without external data. Rows
// resemble lines of text, and a true linear model determines the labels.
//
// Sample i is a pure function of i and of all options except `samples`, as for digits (digits.h).
// Two sources with the same seed and disjoint ranges [first, first + samples) have no sample in
// common, and have the same true model.
//
// A row draws between half and one and a half times `nonzeros` words from a vocabulary of
// `features` words, by Zipf's law with exponent 1: the rank is exp(u ln(features + 1)) - 1, rounded
// down. A word that was drawn c times has the weight (1 + ln c)(1 + ln(1 + rank)), because rare
// words carry more information. The row is scaled to length 1. The label is the sign of the product
// of the row and a standard normal vector that depends on the seed. A share `label_noise` of the
// labels is then inverted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/url.h"

namespace surety::data {

struct SyntheticOptions {
  std::uint64_t samples = 20000;  // The number is from 1 to 10^9.
  std::uint64_t seed = 1;
  std::uint32_t features = 5000;  // The number is from 1 to 10^8.
  std::uint32_t nonzeros = 30;    // Mean number of words drawn for a row, from 1 to 10^5.
  std::uint64_t first = 0;        // Index of the first sample, up to 10^15.
  double label_noise = 0.05;      // 0..1: share of labels that are inverted.
};

// Options from the URL. InvalidInput, with key, found and expected, if one is out of range.
[[nodiscard]] Result<SyntheticOptions> parse_synthetic_options(const SourceUrl& url);

struct SyntheticRow {
  std::vector<std::uint32_t> index;  // Features of the row, in ascending order.
  std::vector<float> value;
  float label = 1;
  float truth = 1;  // The label before label noise.
};

// Sample number `index` (counted from 0, not from options.first). O(nonzeros log(nonzeros)).
[[nodiscard]] SyntheticRow draw_row(const SyntheticOptions& options, std::uint64_t index);

}  // namespace surety::data
