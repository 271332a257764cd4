// Chunk placement: decides which worker trains on which chunk from now on.
//
// Terms: a chunk's *samples* are its work in every pass; its *left* samples are its remaining work
// in the current pass. A worker's cost c is the time that it needs for one sample. S and R are the
// sums of samples and of left samples over its chunks. Its *loads* are c S, the time of a full
// pass, and c R, the time of the rest of the current one. A pass lasts as long as its slowest
// worker, so the current pass lasts as long as the largest c R, and every later one as long as the
// largest c S. Because chunks may move in the middle of a pass, both loads are balanced: a new
// worker gets finished and unfinished chunks in the right proportion.
//
// Method: steepest descent on sum over workers of c (S^2 + R^2). It starts from the current
// placement, because each move costs bytes. With S alone, the minimum over fractions of chunks is
// where all loads c S are equal: the ideal finish by water-filling (elastic/policy/shares.h).
// Moving a chunk of s samples, of which r are left, from worker a to worker b lowers the sum by
//    gain = 2 s (c_a S_a - c_b S_b) + 2 r (c_a R_a - c_b R_b) - (c_a + c_b) (s^2 + r^2).
// With equal costs and nothing done yet (r = s) the gain is positive exactly if the larger of the
// two loads falls. Chunks without a worker are placed first, the largest first, each where it
// raises the sum least: greedy list scheduling (Graham 1969). If all chunks are placed in this way
// and costs are equal, loads differ by at most one largest chunk.
//
// No chunk moves to balance two loads that are within `slack` of each other. The slack is the time
// for one largest chunk at the slower of the two workers, because whole chunks guarantee no better
// balance, or imbalance_min of the ideal finish if this is larger. A move beyond that lowers the
// larger of the two loads. With constant membership and speeds the moves therefore come to an end:
// each iteration lowers every remaining load by the same time, down to 0, so remaining loads never
// differ by more than the loads of a full pass.
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
  std::uint32_t left = 0;  // Samples not yet done in this pass.
  // If two moves have the same gain, the one with fewer bytes is taken.
  std::uint64_t bytes = 0;
  std::optional<WorkerId> at;  // Worker where it may stay; if absent, it must be placed.
};

struct PlacementOptions {
  // The maximum number of balancing moves. Chunks that must be placed, and moves that fill a worker
  // without chunks, do not count.
  std::uint32_t moves_max = 8;
  // A difference below this part of the ideal finish is not worth the bytes of a move. If the value
  // is doubled, passes may last longer by that part, and fewer chunks move.
  double imbalance_min = 0.02;
  // Limit of the bytes into and out of each worker, for filling and balancing together. The first
  // chunk of a worker without chunks may be larger. Chunks that must be placed do not count.
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
};

struct Placed {
  ChunkId chunk;
  WorkerId to;
  friend bool operator==(const Placed&, const Placed&) = default;
};

struct Placement {
  // All pieces without a worker, in the order chosen.
  std::vector<Placed> placed;
  // Moves to workers that had no chunk: their fair share, as far as bytes_max allows.
  std::vector<Placed> fills;
  // There are at most moves_max further moves.
  std::vector<Placed> balances;
  // The loads before and after, and why the moves ended, for the log and for tests.
  std::string reason;
};

// Places chunks on workers. `costs`: one for each worker, in seconds for a sample or any other
// unit.
//
// REQUIRES: pieces ascending by chunk; workers ascending, at least one; every `at` is one of them;
//           left <= samples; costs positive.
// ENSURES:  each chunk is moved at most once, each piece without a worker exactly once; no move has
//           its chunk's own worker as target; every move has a positive gain.
// A cost above 1000 times the lowest counts as 1000 times the lowest.
// Ties: the larger gain, then fewer bytes, then the lower chunk, then the lower worker.
// O(pieces * (workers * (1 + moves_max) + joiners * fills)).
[[nodiscard]] Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                              std::span<const double> costs, const PlacementOptions& options);
// The same for workers that are equally fast.
[[nodiscard]] Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                              const PlacementOptions& options);

}  // namespace surety::elastic
