// What a worker's part of an iteration of CoCoA has changed so far: dual variables that become
// those of the chunks if it is committed, and the model with them.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "data/chunk.h"
#include "learn/glm_loss.h"
#include "learn/glm_penalty.h"
#include "learn/local_work.h"

namespace surety::learn {

class GlmIteration {
 public:
  [[nodiscard]] bool has_begun() const { return !began_.empty(); }
  // `start`: what the threshold is applied to (glm_penalty.h), at its begin.
  void begin(std::span<const double> start);
  void forget();

  // The dual variables of a chunk, to be changed.
  [[nodiscard]] std::vector<float>& alpha_of(const data::Chunk& chunk);
  // The model has changed by this as well.
  void add(std::span<const float> update);
  [[nodiscard]] const std::vector<float>& update() const { return update_; }

  // Of all of it (glm_line_search.h). REQUIRES: chunks holds all that were changed; here and below.
  [[nodiscard]] LineSlopes slopes(Loss loss, const Penalty& penalty,
                                  const std::map<ChunkId, data::Chunk>& chunks) const;
  // Only so much of each change: between two values that a loss allows lies none that it does not,
  // rounded or not.
  void shorten(double step, const std::map<ChunkId, data::Chunk>& chunks);
  // Makes them those of the chunks, and forgets.
  void commit(std::map<ChunkId, data::Chunk>& chunks);

 private:
  std::map<ChunkId, std::vector<float>> alpha_;
  std::vector<double> began_;
  std::vector<float> update_;
};

}  // namespace surety::learn
