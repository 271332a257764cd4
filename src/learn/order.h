// The order in which the samples of a chunk are visited in a pass.
//
// A pure function of seed, pass and chunk: whoever owns the chunk, on whatever machine, visits the
// same samples at the same positions, so that a work item (chunk, first, count) means the same
// everywhere and a pass that moves between workers still visits every sample once.
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

// The same for linear models: runs of 16 consecutive samples in random order, each from front to
// back. Memory answers runs three times as fast as single short rows, and dual coordinate ascent
// learns as much from them. O(count).
[[nodiscard]] std::vector<std::uint32_t> bucket_order(const OrderKey& key, std::uint32_t count);

}  // namespace surety::learn
