// The changes that a worker has made so far in an iteration of CoCoA: the changed dual variables,
// which are moved into the chunks when the iteration is committed, and the change of the model.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/linear/kernels/glm_loss.h"
#include "learn/linear/solver/glm_penalty.h"
#include "learn/local_work.h"

namespace surety::learn {

// Corrupt if a chunk has dual variables, but not one for each sample. If it has none, all are 0.
[[nodiscard]] Result<void> check_duals(const data::Chunk& chunk);

class GlmIteration {
 public:
  [[nodiscard]] bool has_begun() const { return !began_.empty(); }
  // Begins an iteration. `start` is the vector to which the threshold is applied
  // (learn/linear/solver/glm_penalty.h), with its values at the beginning of the iteration.
  void begin(std::span<const double> start);
  void forget();

  // The tentative dual variables of a chunk, which the caller may change. REQUIRES: check_duals().
  [[nodiscard]] std::vector<float>& alpha_of(const data::Chunk& chunk);
  // Adds `update` to the change of the model.
  void add(std::span<const float> update);
  [[nodiscard]] const std::vector<float>& update() const { return update_; }

  // The slopes along all changes so far (glm_line_search.h). REQUIRES, here and below: chunks holds
  // all chunks that were changed.
  [[nodiscard]] LineSlopes slopes(Loss loss, const Penalty& penalty,
                                  const std::map<ChunkId, data::Chunk>& chunks) const;
  // Keeps only the share `step` of each change. The result is always feasible: if a loss allows two
  // values, it also allows each value between them, whether rounded or not.
  void shorten(double step, const std::map<ChunkId, data::Chunk>& chunks);
  // Moves the tentative dual variables into the chunks, and forgets the iteration.
  void commit(std::map<ChunkId, data::Chunk>& chunks);

 private:
  std::map<ChunkId, std::vector<float>> alpha_;
  std::vector<double> began_;
  std::vector<float> update_;
};

}  // namespace surety::learn
