// Chunk placement: which worker trains on which chunk from now on.
//
// Words: a chunk's *samples* are what it costs in every pass; its *left* samples are what it still
// costs in this pass. A worker's cost c is what one sample takes it; its *loads* are c times the
// sums S and R of both over its chunks: when it finishes a pass, and this pass. A pass lasts as
// long as its slowest worker, so this one lasts as long as the largest load left, and every later
// one as long as the largest load of samples. Chunks move in the middle of a pass, so both are
// balanced: a joiner gets finished and unfinished chunks in the right mix.
//
// Method: steepest descent on  sum over workers of c (S^2 + R^2),  from the current placement and
// not from nothing, because a move costs bytes. With S alone, its minimum over fractions of chunks
// is where all loads c S are equal: the ideal finish by water-filling (shares.h). Moving a chunk of
// s samples, r of them left, from worker a to worker b lowers that sum by
//     gain = 2 s (c_a S_a - c_b S_b) + 2 r (c_a R_a - c_b R_b) - (c_a + c_b) (s^2 + r^2).
// With equal costs and nothing done yet (r = s) that is positive exactly where the largest of the
// two loads falls. A chunk without a worker goes where it raises the sum least, the largest first:
// greedy list scheduling (Graham 1969). From nothing, with equal costs, its loads end within one
// largest chunk of each other.
//
// Nothing moves to balance two loads that are within `slack` of each other: one largest chunk at
// the slower of the two, as whole chunks can promise no better, or imbalance_min of the ideal
// finish. What moves beyond that lowers the larger of the two loads. Constant membership and speeds
// therefore come to rest: each iteration takes the same time off every load left, down to 0, so
// loads left never drift apart further than the loads of samples are.
//
// Pure functions of their arguments. Sums are exact integers: costs are rounded to 1/1024 of the
// lowest one.
#pragma once

#include <cstdint>
#include <limits>
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
  double imbalance_min = 0.02;  // Of the ideal finish; less is not worth a move's bytes. Doubled,
                                // passes may last that much longer and fewer chunks move.
  // Into and out of each worker, filling and balancing together; the first chunk of a worker
  // without any may be larger. What must be placed does not count.
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
};

struct Placed {
  ChunkId chunk;
  WorkerId to;
  friend bool operator==(const Placed&, const Placed&) = default;
};

struct Placement {
  std::vector<Placed> placed;    // All pieces without a worker, in the order chosen.
  std::vector<Placed> fills;     // Moves to workers that had no chunk: their fair share, as far as
                                 // bytes_max allows.
  std::vector<Placed> balances;  // At most moves_max moves more.
  std::string reason;            // What was done and why it stopped, for the log and for tests.
};

// `costs`: seconds for a sample, one a worker; or in any other unit.
//
// REQUIRES: pieces ascending by chunk; workers ascending, at least one; every `at` is one of them;
//           left <= samples; costs positive. A cost above 1000 times the lowest counts as that.
// ENSURES:  each chunk is moved at most once, each piece without a worker exactly once; no move
//           has its chunk's own worker as target; every move has a positive gain.
// Ties: the larger gain, then fewer bytes, then the lower chunk, then the lower worker.
// O(pieces * (workers * (1 + moves_max) + joiners * fills)).
[[nodiscard]] Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                              std::span<const double> costs, const PlacementOptions& options);
// Of workers that are equally fast.
[[nodiscard]] Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                              const PlacementOptions& options);

}  // namespace surety::elastic
