// Which chunks a worker holds: its own, and those that it has handed over and keeps until it is
// prepared again, in case that the receiver dies.
//
// Whoever reads a chunk, or gives it a state, does so through chunks(); what is freed, kept and
// missing is decided here.
#pragma once

#include <map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/chunk.h"

namespace surety::proto {
class Prepare;
}  // namespace surety::proto

namespace surety::worker {

class Holdings {
 public:
  [[nodiscard]] std::map<ChunkId, data::Chunk>& chunks() { return chunks_; }
  [[nodiscard]] const std::map<ChunkId, data::Chunk>& chunks() const { return chunks_; }
  // Whose samples are here, those that were handed over too; ascending.
  [[nodiscard]] std::vector<ChunkId> ids() const;

  // What was handed over is ours again: to be sent again, or freed by free().
  void take_back();
  // Samples stay where another session wants the same chunks; what a solver knew of them does not.
  void forget_states();
  // Frees what this order neither leaves here nor has sent on.
  void free(const proto::Prepare& order);
  // What it grants and is not here; ascending.
  [[nodiscard]] std::vector<data::ChunkRange> missing(const proto::Prepare& order) const;
  // InvalidInput: it hands over what is not here, or twice: to two workers, who would both count
  // it.
  [[nodiscard]] Result<void> check(const proto::Prepare& order) const;
  // What it has handed over is sent. REQUIRES: check().
  void hand_over(const proto::Prepare& order);

 private:
  std::map<ChunkId, data::Chunk> chunks_;  // That we learn on, measure and sum up.
  std::map<ChunkId, data::Chunk> frozen_;  // hand_over() adds, take_back() removes.
};

}  // namespace surety::worker
