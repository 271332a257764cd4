#include "learn/linear/glm_visits.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "learn/linear/glm_labels.h"
#include "learn/order.h"

namespace surety::learn {

Result<std::span<DualRow>> GlmVisits::list(std::span<const WorkItem> items,
                                           const std::map<ChunkId, data::Chunk>& chunks,
                                           std::uint32_t pass, GlmIteration& iteration,
                                           Team& team) {
  taken_.clear();
  std::size_t rows = 0;
  for (const WorkItem& item : items) {
    const auto chunk = chunks.find(item.chunk);
    SURETY_CHECK(chunk != chunks.end());
    SURETY_TRY(check_duals(chunk->second));
    taken_.push_back({.item = &item,
                      .chunk = &chunk->second,
                      .alpha = &iteration.alpha_of(chunk->second),
                      .first = rows});
    rows += item.count;
  }
  rows_.resize(rows);
  scratch_.resize(schema_.layout == data::Layout::kDenseU8 ? rows * schema_.features : 0);
  team.run([&](std::size_t thread) {
    for (Taken& taken : team.part_of(std::span(taken_), thread)) taken.outcome = fill(taken, pass);
  });
  for (const Taken& taken : taken_) {
    if (!taken.outcome) return fail_in(taken.outcome.error(), "chunk {}", taken.item->chunk);
  }
  return std::span(rows_);
}

GlmVisits::Place GlmVisits::place_of(const DualRow& row) const {
  const auto at = static_cast<std::size_t>(&row - rows_.data());
  const auto after =
      std::upper_bound(taken_.begin(), taken_.end(), at,
                       [](std::size_t value, const Taken& taken) { return value < taken.first; });
  const Taken& taken = *std::prev(after);
  return {.chunk = taken.item->chunk,
          .sample = static_cast<std::size_t>(row.home - taken.alpha->data())};
}

Result<void> GlmVisits::fill(const Taken& taken, std::uint32_t pass) {
  const WorkItem& item = *taken.item;
  const data::Chunk& chunk = *taken.chunk;
  SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
  const auto samples = static_cast<std::uint32_t>(rows.size());
  SURETY_CHECK(item.first <= samples && item.count <= samples - item.first);
  SURETY_TRY(check_samples(chunk.samples, rows));
  const std::vector<std::uint32_t> order = bucket_order({seed_, pass, item.chunk}, samples);
  for (std::uint32_t i = 0; i < item.count; ++i) {
    const std::uint32_t row = order[item.first + i];
    const std::size_t at = taken.first + i;
    DualRow& visit = rows_[at];
    visit.x =
        rows.view(row, std::span(scratch_).subspan(at * rows.scratch_size(), rows.scratch_size()));
    visit.label = label_for(loss_, chunk.samples.label[row]);
    visit.home = &(*taken.alpha)[row];
    visit.alpha = *visit.home;
  }
  return {};
}

// Only for training chunks, in which a feature that the model does not know is an error.
Result<void> GlmVisits::check_samples(const data::Samples& samples, const Rows& rows) const {
  SURETY_TRY(check_labels(loss_, samples));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.fits(row)) continue;
    return fail(ErrorCode::kInvalidInput, "sample {}: feature {}, expected less than {}", row,
                samples.index[samples.row_begin[row + 1] - 1], schema_.features);
  }
  return {};
}

}  // namespace surety::learn
