// The samples that a worker learns from in an iteration, for benchmarks without a coordinator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learn/local_work.h"

namespace surety::bench {

// Takes the first `samples` samples, or fewer if fewer are left, out of `left`, and returns them.
// O(items left).
[[nodiscard]] inline std::vector<learn::WorkItem> take_items(std::uint32_t samples,
                                                             std::vector<learn::WorkItem>& left) {
  std::vector<learn::WorkItem> items;
  for (learn::WorkItem& item : left) {
    const std::uint32_t count = std::min(item.count, samples);
    if (count == 0) continue;
    items.push_back({item.chunk, item.first, count});
    item.first += count;
    item.count -= count;
    samples -= count;
  }
  return items;
}

}  // namespace surety::bench
