// Divides rows among threads: each thread has consecutive rows, nearly as many as the others.
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

  // Without a team there is one part, which the caller's thread does. The team must outlive this.
  explicit RowParts(Team* team) : team_(team) {}

  // The number of parts.
  [[nodiscard]] std::size_t count() const { return team_ != nullptr ? team_->size() : 1; }
  // Calls work(rows, number) for each thread's part of the rows.
  void for_each(std::span<DualRow> rows, const Work& work) const;
  // Like for_each(), but if there are few rows, they are one part, which the caller's thread does.
  void for_many(std::span<DualRow> rows, const Work& work) const;

 private:
  Team* team_;
};

}  // namespace surety::learn
