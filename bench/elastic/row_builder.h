// Builds sparse rows of unit length from (feature, weight) pairs in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/sample.h"

namespace surety::bench {

using Entry = std::pair<std::uint32_t, double>;

// Sorts the entries by feature and adds up the weights of equal features.
inline void merge_entries(std::vector<Entry>& row) {
  std::sort(row.begin(), row.end(),
            [](const Entry& a, const Entry& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const Entry& entry : row) {
    if (kept > 0 && row[kept - 1].first == entry.first) {
      row[kept - 1].second += entry.second;
    } else {
      row[kept++] = entry;
    }
  }
  row.resize(kept);
}

// Appends the row, scaled to unit length. REQUIRES: ascending features, and at least one weight
// that is not zero.
inline void append_unit_row(const std::vector<Entry>& row, float label, data::Samples& samples) {
  double square = 0;
  for (const auto& [feature, weight] : row) square += weight * weight;
  const double scale = 1 / std::sqrt(square);
  if (samples.row_begin.empty()) samples.row_begin.push_back(0);
  for (const auto& [feature, weight] : row) {
    samples.index.push_back(feature);
    samples.f32.push_back(static_cast<float>(weight * scale));
  }
  samples.row_begin.push_back(samples.index.size());
  samples.label.push_back(label);
}

}  // namespace surety::bench
