// The chunks that a worker holds: its own chunks, and handed-over chunks. It keeps a handed-over
// chunk until its next Prepare, because the recipient may crash.
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
  // The worker's own chunks: it learns on them, evaluates them and sums them up.
  [[nodiscard]] const std::map<ChunkId, data::Chunk>& own() const { return own_; }
  // The same chunks for learn::Task, which changes their per-sample states and nothing else.
  [[nodiscard]] std::map<ChunkId, data::Chunk>& own_for_task() { return own_; }
  // Chunks whose samples this worker holds, including handed-over chunks; ascending.
  [[nodiscard]] std::vector<ChunkId> ids() const;

  // Makes this chunk one of the worker's own, unless the worker owns it already.
  void add(data::Chunk chunk);
  // Replaces the per-sample state of a chunk. REQUIRES: it is one of the worker's own.
  void set_state(ChunkId chunk, std::vector<float> values);
  // Frees all chunks, including handed-over chunks.
  void clear();
  // Makes handed-over chunks the worker's own again: they are sent again, or freed by free().
  void take_back();
  // Removes the solver's state of all chunks, for another session. The samples stay.
  void forget_states();
  // Frees all chunks that the order neither lists as owned nor hands over.
  void free(const proto::Prepare& order);
  // Chunks that the order grants and this worker does not hold; ascending.
  [[nodiscard]] std::vector<data::ChunkRange> missing(const proto::Prepare& order) const;
  // Defect if the order hands over a chunk that this worker does not hold, or hands over a chunk
  // twice, because both recipients would then learn from it.
  [[nodiscard]] Result<void> check(const proto::Prepare& order) const;
  // To be called when the handed-over chunks are sent. REQUIRES: check().
  void hand_over(const proto::Prepare& order);

 private:
  std::map<ChunkId, data::Chunk> own_;
  std::map<ChunkId, data::Chunk> handed_over_;  // hand_over() adds, take_back() removes.
};

}  // namespace surety::worker
