// Background shuffling: chunks change places at random, a few at a time.
//
// In CoCoA and local SGD, each worker learns from its own partition of the samples. If two samples
// are never on the same worker, their combined information reaches the workers only through the
// model. Moving a few chunks in each pass mixes the partitions over time. The chunks are sent while
// workers compute.
//
// Chunks change places in pairs of similar size, so that balanced loads stay balanced.
//
// A pure function of its arguments.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "elastic/ownership/placement.h"

namespace surety::elastic {

struct ShuffleOptions {
  // The share of the chunks that move each time. If it is doubled, partitions mix twice as fast and
  // twice as many bytes are sent. Above a tenth, a pass gains little more.
  double share = 0.05;
  // The same limit as in PlacementOptions.
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
};

struct Shuffle {
  std::vector<Placed> moves;  // Each chunk at most once; the two moves of a pair are adjacent.
  std::string reason;
};

// REQUIRES: pieces as for place(), each at a worker.
// ENSURES:  no worker's number of chunks changes; at most share * pieces chunks move (rounded down
//           to pairs, but at least one pair if share > 0); no chunk moves to its own worker.
// O(share * pieces).
[[nodiscard]] Shuffle shuffle_chunks(std::span<const Piece> pieces, const ShuffleOptions& options,
                                     Random random);

}  // namespace surety::elastic
