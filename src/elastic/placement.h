// Chunk placement: which worker trains on which chunk from now on.
//
// Words: a chunk's *samples* are what it costs in every pass; its *left* samples are what it still
// costs in this pass. A worker's load is the sum of both over its chunks, kept apart. An iteration
// lasts as long as its slowest worker, so this pass lasts as long as the largest load left, and
// every later pass as long as the largest load of samples. Chunks move in the middle of a pass, so
// both are balanced: a joiner gets finished and unfinished chunks in the right mix.
//
// Method: steepest descent on  sum over workers of (samples^2 + left^2),  from the current
// placement and not from nothing, because a move costs bytes. Moving a chunk of s samples, r of
// them left, from worker a to worker b lowers half of that sum by
//     gain = s (S_a - S_b - s) + r (R_a - R_b - r),    S, R: the loads of samples and of left.
// With nothing done yet (r = s) that is positive exactly where the largest of the two loads falls.
// A chunk without a worker goes where it raises the sum least, the largest first: greedy list
// scheduling (Graham 1969). From nothing, its loads end within one largest chunk of each other.
//
// Nothing moves to balance loads that are within `slack` of each other: one largest chunk, as
// whole chunks can promise no better, or imbalance_min of the mean load. Constant membership
// therefore comes to rest: each iteration takes the same number of samples off every load left,
// down to 0, so loads left never drift apart further than the loads of samples are.
//
// Pure functions of their arguments. Sums are exact integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

struct Piece {
  ChunkId chunk;
  std::uint32_t samples = 0;
  std::uint32_t left = 0;      // Of these, not yet done in this pass.
  std::uint64_t bytes = 0;     // Of two moves with the same gain the one with fewer bytes is taken.
  std::optional<WorkerId> at;  // Where it may stay; none: it must be placed.
};

struct PlacementOptions {
  std::uint32_t moves_max = 8;  // Balancing moves only; what must be placed and what fills a worker
                                // without chunks does not count.
  double imbalance_min = 0.02;  // Of the mean load of samples; less is not worth a move's bytes.
                                // Doubled, passes may last that much longer and fewer chunks move.
};

struct Placed {
  ChunkId chunk;
  WorkerId to;
  friend bool operator==(const Placed&, const Placed&) = default;
};

struct Placement {
  std::vector<Placed> placed;    // All pieces without a worker, in the order chosen.
  std::vector<Placed> fills;     // Moves to workers that had no chunk: their fair share at once.
  std::vector<Placed> balances;  // At most moves_max moves more.
  std::string reason;            // What was done and why it stopped, for the log and for tests.
};

// REQUIRES: pieces ascending by chunk; workers ascending, at least one; every `at` is one of them;
//           left <= samples.
// ENSURES:  each chunk is moved at most once, each piece without a worker exactly once; no move
//           has its chunk's own worker as target; every move has a positive gain.
// Ties: the larger gain, then fewer bytes, then the lower chunk, then the lower worker.
// O(pieces * (workers * (1 + moves_max) + joiners * fills)).
[[nodiscard]] Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                              const PlacementOptions& options);

}  // namespace surety::elastic
