// Divides rows among threads. Each thread has consecutive rows, and nearly the same number as the
// others.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/team.h"
#include "learn/linear/kernels/glm_kernels.h"

namespace surety::learn {

class RowParts {
 public:
  // Gets the rows of one part and its number. A part may write its own rows only.
  using Work = std::function<void(std::span<DualRow>, std::size_t)>;

  // Without a team there is one part, for the caller's thread. The team must outlive this object.
  explicit RowParts(Team* team) : team_(team) {}

  // The number of parts.
  [[nodiscard]] std::size_t count() const { return team_ != nullptr ? team_->size() : 1; }
  // Calls work(rows, number) for each thread's part of the rows.
  void for_each(std::span<DualRow> rows, const Work& work) const;
  // Like for_each(), but few rows are one part, for the caller's thread.
  void for_many(std::span<DualRow> rows, const Work& work) const;

 private:
  Team* team_;
};

}  // namespace surety::learn
