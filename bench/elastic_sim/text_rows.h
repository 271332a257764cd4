// Sparse rows that look like text: words of a few topics, with frequencies by Zipf's law.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::bench {

// Rows of unit length in compressed form, with labels -1 and +1.
struct TextRows {
  std::uint32_t features = 0;
  // Index of the first value of each row, and the end of the last row.
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> feature;
  std::vector<float> value;
  std::vector<float> label;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(label.size()); }
};

// Rows of about 23 words from a vocabulary of `features` words: half from the row's topic (50
// topics), half from the whole vocabulary. Labels of a random true model, 5 % of them wrong.
[[nodiscard]] TextRows text_rows(std::uint32_t rows, std::uint32_t features, std::uint64_t seed);

}  // namespace surety::bench
