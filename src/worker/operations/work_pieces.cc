#include "worker/operations/work_pieces.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::worker {

WorkPieces::WorkPieces(std::vector<learn::WorkItem> items, PieceSize size)
    : size_(size), items_(std::move(items)) {
  SURETY_CHECK(size.steps > 0 && size.batch != 0u);
}

std::vector<learn::WorkItem> WorkPieces::take() {
  std::vector<learn::WorkItem> piece;
  const std::uint64_t wanted = std::uint64_t{size_.steps} * size_.batch.value_or(1);
  for (std::uint64_t taken = 0; taken < wanted && !is_empty();) {
    learn::WorkItem& item = items_[next_];
    std::uint32_t count = item.count;
    if (size_.batch) {
      count = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted - taken, count));
    }
    piece.push_back({item.chunk, item.first, count});
    item.first += count;
    item.count -= count;
    taken += count;
    if (item.count == 0) ++next_;
  }
  return piece;
}

std::uint32_t WorkPieces::steps_of(std::uint64_t samples) const {
  const std::uint64_t batch = size_.batch.value_or(1);
  return static_cast<std::uint32_t>((samples + batch - 1) / batch);
}

}  // namespace surety::worker
