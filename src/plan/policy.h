// The rule that a running job follows between passes; the simulation follows the very same one.
//
// Stop when the target is met; when a block's passes are used up go to the next block; stop when no
// time is left for another pass and for the certification. The last block goes on beyond its
// passes: they say what to expect, not when to give up.
#pragma once

#include <cstdint>
#include <span>

namespace surety::plan {

struct BlockTime {
  std::uint32_t passes = 0;
  double pass_s = 0;    // Mean, with its evaluation.
  double switch_s = 0;  // Before its first pass.
};

struct Standing {
  double metric = 0, stop_metric = 0;
  double seconds_left = 0;  // To the deadline.
  double certify_s = 0;
  std::size_t block = 0;
  std::uint32_t pass_in_block = 0;  // Done so far.
};

enum class Choice : std::uint8_t { kGoOn, kSwitch, kStopMet, kStopNoTime };

// Where the next block no longer fits into the time but another pass of this one does, it goes on.
// REQUIRES: standing.block < blocks.size().
[[nodiscard]] Choice choose(std::span<const BlockTime> blocks, const Standing& standing);

}  // namespace surety::plan
