// Words that the fabric's core shares.
//
// The model is cut into at most 64 blocks. An update is pushed, and a model is pulled, block by
// block; one transfer of one block for a group of hosts is a round. A host sends and receives over
// one port, whose two directions have capacities of their own.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace surety::fabric {

// A worker process seen as an end of transfers. The core keeps arrays by id: ids are small.
using HostId = WorkerId;

enum class Direction : std::uint8_t {
  kPush,  // From many members to the owners, summed on the way.
  kPull,  // From the owners to many members, copied on the way.
};

using BlockMask = std::uint64_t;  // Bit b: block b.
inline constexpr std::uint32_t kBlocksMax = 64;

// REQUIRES: 1 <= blocks <= kBlocksMax.
[[nodiscard]] constexpr BlockMask all_blocks(std::uint32_t blocks) {
  return ~BlockMask{0} >> (kBlocksMax - blocks);
}

[[nodiscard]] constexpr BlockMask block_bit(std::uint32_t block) { return BlockMask{1} << block; }

}  // namespace surety::fabric
