// Types that the parts of the fabric's core share.
//
// The model is cut into at most 64 blocks. Updates are pushed and models are pulled block by block;
// one transfer of one block for a group of workers is a round. A worker sends and receives over one
// port, and each direction of the port has its own capacity. The core keeps arrays that are indexed
// by the id of a worker, so ids are small.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace surety::fabric {

enum class Direction : std::uint8_t {
  kPush,  // Transfers from many members to the owners, summed on the way.
  kPull,  // Transfers from the owners to many members, copied on the way.
};

using BlockMask = std::uint64_t;  // Bit b represents block b.
inline constexpr std::uint32_t kBlocksMax = 64;

// REQUIRES: 1 <= blocks <= kBlocksMax.
[[nodiscard]] constexpr BlockMask all_blocks(std::uint32_t blocks) {
  return ~BlockMask{0} >> (kBlocksMax - blocks);
}

[[nodiscard]] constexpr BlockMask block_bit(std::uint32_t block) { return BlockMask{1} << block; }

}  // namespace surety::fabric
