// The rows of work items for a local solver: the order of visits, and the place of each dual
// variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/team.h"
#include "data/sample.h"
#include "data/sources/chunk.h"
#include "learn/linear/glm_iteration.h"
#include "learn/linear/kernels/glm_kernels.h"
#include "learn/linear/kernels/glm_loss.h"
#include "learn/linear/model/rows.h"
#include "learn/local_work.h"

namespace surety::learn {

class GlmVisits {
 public:
  // `seed` determines the order of the samples within a chunk.
  GlmVisits(Loss loss, data::Schema schema, std::uint64_t seed)
      : loss_(loss), schema_(schema), seed_(seed) {}

  // Lists the rows of the items, each with its dual variable in this iteration. Positions of items
  // refer to bucket_order(seed, pass, chunk). The rows view `chunks`, or converted copies of bytes,
  // and their homes are in `iteration`. They are valid until the next call, as long as `chunks` and
  // `iteration` live. The threads of the team share the work. REQUIRES: chunks holds the chunks of
  // all items, and each chunk has the samples of its items. InvalidInput, naming the chunk and the
  // sample: a label that the loss does not allow, or a feature that the schema does not have.
  // Corrupt, as from check_duals().
  [[nodiscard]] Result<std::span<DualRow>> list(std::span<const WorkItem> items,
                                                const std::map<ChunkId, data::Chunk>& chunks,
                                                std::uint32_t pass, GlmIteration& iteration,
                                                Team& team);

  struct Place {
    ChunkId chunk;
    std::size_t sample = 0;  // Its index in the chunk.
  };
  // The sample of a row. REQUIRES: the row is one of the last list(). O(log(items)).
  [[nodiscard]] Place place_of(const DualRow& row) const;

 private:
  // An item that is about to be visited.
  struct Taken {
    const WorkItem* item = nullptr;
    const data::Chunk* chunk = nullptr;
    std::vector<float>* alpha = nullptr;  // The dual variables of the whole chunk.
    std::size_t first = 0;                // Index of the item's first row in rows_.
    Result<void> outcome{};
  };
  [[nodiscard]] Result<void> fill(const Taken& taken, std::uint32_t pass);
  [[nodiscard]] Result<void> check_samples(const data::Samples& samples, const Rows& rows) const;

  Loss loss_;
  data::Schema schema_;
  std::uint64_t seed_;
  // The following members belong to the last list().
  std::vector<Taken> taken_;
  std::vector<DualRow> rows_;
  std::vector<float> scratch_;  // Bytes as numbers, in the order of the rows.
};

}  // namespace surety::learn
