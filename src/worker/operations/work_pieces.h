// The samples that a worker still has to learn in an asynchronous iteration, cut into pieces. A
// piece reaches from one merge point (learn/async/merge_turns.h) to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "learn/local_work.h"

namespace surety::worker {

struct PieceSize {
  std::uint32_t steps = 1;  // Steps between two merge points.
  // Samples of a step. If it is absent, as for CoCoA, each sample is a step, and no item is cut.
  std::optional<std::uint32_t> batch{};
};

class WorkPieces {
 public:
  // REQUIRES: no item is empty; size.steps > 0; the batch is positive if there is one.
  WorkPieces(std::vector<learn::WorkItem> items, PieceSize size);

  [[nodiscard]] bool is_empty() const { return next_ == items_.size(); }
  // Removes the next piece and returns it: items of PieceSize::steps steps (more if the last item
  // cannot be cut), or all remaining items if there are fewer. The pieces together are exactly the
  // items. Returns no items if none are left.
  [[nodiscard]] std::vector<learn::WorkItem> take();
  // The number of steps for this number of samples, rounded up.
  [[nodiscard]] std::uint32_t steps_of(std::uint64_t samples) const;

 private:
  PieceSize size_;
  // The first remaining item may be a part of an original item.
  std::vector<learn::WorkItem> items_;
  std::size_t next_ = 0;  // Index of the first remaining item.
};

}  // namespace surety::worker
