#include "learn/linear/solver/glm_row_parts.h"

namespace surety::learn {
namespace {

// Reading this many rows takes about 20 us, which is worth waking threads.
constexpr std::size_t kRowsForThreads = std::size_t{1} << 12;

}  // namespace

void RowParts::for_each(std::span<DualRow> rows, const Work& work) const {
  if (team_ == nullptr) return work(rows, 0);
  team_->run([&](std::size_t thread) { work(team_->part_of(rows, thread), thread); });
}

void RowParts::for_many(std::span<DualRow> rows, const Work& work) const {
  if (rows.size() < kRowsForThreads) return work(rows, 0);
  for_each(rows, work);
}

}  // namespace surety::learn
