// Asks memory for the rows that a loop over rows will need: processors foresee the next lines of a
// row, but not the next row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learn/glm_kernels.h"

namespace surety::learn {

// Inlined always: gcc 12 takes a call of a function that only prefetches for one without effect.
template <int kLocality>
[[gnu::always_inline]] inline void prefetch_row(const RowView& x) {
  static constexpr std::size_t kLine = 64 / sizeof(float);
  // Rows start anywhere in a line, so that the last value may lie one line further.
  for (std::size_t i = 0; i < x.count + kLine - 1; i += kLine) {
    __builtin_prefetch(x.value + i, 0, kLocality);
    if (x.feature != nullptr) __builtin_prefetch(x.feature + i, 0, kLocality);
  }
}

// Rows from so many values on are long; and how many short ones memory is asked for ahead.
inline constexpr std::uint32_t kLongRow = 256;
inline constexpr std::size_t kShortAhead = 16;

// At row i of `rows`, where row k is `view_of(k)`: far enough ahead that memory answers in time,
// near enough that the values are not gone again. Long rows go to the second cache, because in the
// first one they would push each other out (a fifth of the time of a pass over 1,000 features).
template <typename ViewOf>
[[gnu::always_inline]] inline void prefetch_ahead(std::size_t rows, std::size_t i, ViewOf view_of) {
  static constexpr std::size_t kLongAhead = 4;
  if (view_of(i).count < kLongRow) {
    if (i + kShortAhead < rows) prefetch_row<3>(view_of(i + kShortAhead));
  } else {
    if (i + kLongAhead < rows) prefetch_row<2>(view_of(i + kLongAhead));
  }
}

}  // namespace surety::learn
