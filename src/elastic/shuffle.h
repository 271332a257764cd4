// Background shuffling: chunks change places at random, a few at a time.
//
// CoCoA and local SGD converge per partition: what two workers learn from samples that are never
// together on one of them, they must learn through the model. Moving a few chunks each pass mixes
// the partitions in the course of time, at a price in bytes that hides behind the computing.
//
// Chunks move in pairs that change places and are alike in size, so that the loads, which others
// have balanced, stay as they are.
//
// A pure function of its arguments.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "elastic/placement.h"

namespace surety::elastic {

struct ShuffleOptions {
  double share = 0.05;  // Of the chunks, each time. Doubled, partitions mix twice as fast and twice
                        // as much is sent; beyond a tenth a pass gains little more.
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();  // As PlacementOptions.
};

struct Shuffle {
  std::vector<Placed> moves;  // Each chunk at most once; two by two.
  std::string reason;
};

// REQUIRES: pieces as for place(), each at a worker.
// ENSURES:  no worker's number of chunks changes; at most share * pieces chunks move (rounded down
//           to pairs, but one pair at least where share > 0); none is moved to where it is.
// O(share * pieces).
[[nodiscard]] Shuffle shuffle_chunks(std::span<const Piece> pieces, const ShuffleOptions& options,
                                     Random random);

}  // namespace surety::elastic
