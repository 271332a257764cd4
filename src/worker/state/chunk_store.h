// The chunks that a worker holds: its own chunks, and handed-over chunks. It keeps a handed-over
// chunk until its next Prepare, because the recipient may crash.
//
// Other classes read the worker's own chunks through chunks(), and also add chunks there, clear
// them all, and set their states. This class decides which chunks an order frees, keeps or lacks.
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
  // Chunks whose samples this worker holds, including handed-over chunks; ascending.
  [[nodiscard]] std::vector<ChunkId> ids() const;

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
  // Chunks that this worker learns on, evaluates and sums up.
  std::map<ChunkId, data::Chunk> chunks_;
  std::map<ChunkId, data::Chunk> frozen_;  // hand_over() adds, take_back() removes.
};

}  // namespace surety::worker
