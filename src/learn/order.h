// The order in which the samples of a chunk are visited in a pass.
//
// It is a pure function of seed, pass and chunk. Every owner of the chunk, on any machine, visits
// the same samples at the same positions. So a work item (chunk, first, count) means the same
// everywhere, and a pass still visits every sample once if chunks move between workers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace surety::learn {

struct OrderKey {
  std::uint64_t seed = 1;
  std::uint32_t pass = 0;
  ChunkId chunk;
};

// A random permutation of 0..count-1. O(count).
[[nodiscard]] std::vector<std::uint32_t> sample_order(const OrderKey& key, std::uint32_t count);

// The order for linear models: runs of 16 consecutive samples in random order, each run from front
// to back. Runs are read from memory three times as fast as single short rows, and dual coordinate
// ascent learns as much from them. O(count).
[[nodiscard]] std::vector<std::uint32_t> bucket_order(const OrderKey& key, std::uint32_t count);

}  // namespace surety::learn
