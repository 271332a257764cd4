// The chunks that a worker holds: its own, and those that it has handed over and keeps until its
// next Prepare, in case the receiver crashes.
//
// Code that reads a chunk, or gives it a state, uses chunks(). This class decides what is freed,
// kept and missing.
#pragma once

#include <map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"

namespace surety::proto {
class Prepare;
}  // namespace surety::proto

namespace surety::worker {

class ChunkStore {
 public:
  [[nodiscard]] std::map<ChunkId, data::Chunk>& chunks() { return chunks_; }
  [[nodiscard]] const std::map<ChunkId, data::Chunk>& chunks() const { return chunks_; }
  // Chunks whose samples are here, including those that were handed over; ascending.
  [[nodiscard]] std::vector<ChunkId> ids() const;

  // Makes handed-over chunks the worker's own again: they are sent again, or freed by free().
  void take_back();
  // Samples stay if another session needs the same chunks, but the solver's state of them does not.
  void forget_states();
  // Frees the chunks that this order neither leaves here nor has sent on.
  void free(const proto::Prepare& order);
  // Chunks that the order grants and that are not here; ascending.
  [[nodiscard]] std::vector<data::ChunkRange> missing(const proto::Prepare& order) const;
  // Defect if the order hands over a chunk that is not here, or hands one over twice: both
  // receivers would count it.
  [[nodiscard]] Result<void> check(const proto::Prepare& order) const;
  // To be called when the handed-over chunks are sent. REQUIRES: check().
  void hand_over(const proto::Prepare& order);

 private:
  // Chunks that this worker learns on, evaluates and sums up.
  std::map<ChunkId, data::Chunk> chunks_;
  std::map<ChunkId, data::Chunk> frozen_;  // hand_over() adds, take_back() removes.
};

}  // namespace surety::worker
