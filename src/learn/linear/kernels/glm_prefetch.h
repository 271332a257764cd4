// Prefetches the rows that a loop over rows will need. Processors predict the next cache lines of a
// row, but not the next row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learn/linear/kernels/glm_rows.h"

namespace surety::learn {

// Always inlined, because gcc 12 would remove the call of a function that only prefetches as a call
// without effect.
template <int kLocality>
[[gnu::always_inline]] inline void prefetch_row(const RowView& x) {
  static constexpr std::size_t kLine = 64 / sizeof(float);
  // Rows start anywhere in a cache line, so the last value may lie one line further.
  for (std::size_t i = 0; i < x.count + kLine - 1; i += kLine) {
    __builtin_prefetch(x.value + i, 0, kLocality);
    if (x.feature != nullptr) __builtin_prefetch(x.feature + i, 0, kLocality);
  }
}

// Rows with at least kLongRow values are long. Short rows are prefetched kShortAhead rows ahead.
inline constexpr std::uint32_t kLongRow = 256;
inline constexpr std::size_t kShortAhead = 16;

// Call it at row i of `rows`, where row k is `view_of(k)`. It prefetches so far ahead that memory
// answers in time, but not so far that the values are evicted before their use. Long rows are
// prefetched to the second-level cache, because in the first-level cache they would evict each
// other, which would cost a fifth of the time of a pass over 1,000 features.
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
