// The rows that a local solver visits again: those that could move at their first visit, and the
// dense ones that nearly could. Most rows of an SVM rest at a bound, and the few others determine
// the solution (working sets, or shrinking: Joachims 1999; Hsieh et al., ICML 2008). Short rows of
// the set are scattered in memory, so they can be copied together.
//
// keep() collects the rows during the first visits. After close() the set only shrinks: its
// *working* rows come first, and shrink() moves resting rows behind them. All *kept* rows stay,
// with their dual variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/linear/kernels/glm_kernels.h"
#include "learn/linear/solver/glm_row_parts.h"

namespace surety::learn {

class WorkingSet {
 public:
  struct Options {
    // Dense rows at rest that join the set, relative to the rows that move: those nearest to
    // moving.
    double near_share = 0;
    bool rows_are_temporary = false;  // Values given to keep() are gone before close().
  };
  // Memory that one set leaves to the next one; its contents have no meaning.
  struct Memory {
    std::vector<DualRow> rows{};
    std::vector<std::uint32_t> features{};
    std::vector<float> values{};
  };
  // `memory` must outlive the set.
  WorkingSet(const Options& options, const RowParts& parts, Memory& memory);

  // Keeps the rows that can move, or nearly can, in their order. Their slacks are those of their
  // first visit.
  void keep(std::span<DualRow> rows);
  // Ends the collection: all kept rows become working rows. Call it once, before the functions
  // below.
  void close();
  // Neighbouring rows are often alike, and ascent over similar rows in sequence is very slow (ten
  // times slower on text). `in_parts`: each thread shuffles the rows that it will visit.
  void shuffle(std::uint64_t seed, bool in_parts);
  // Copies short rows together, in the order in which they will be visited. REQUIRES: the rows are
  // not temporary.
  void gather_values();
  // Whether the row can move, or is as near to moving as half of the resting rows that joined.
  [[nodiscard]] bool nearly_moves(const DualRow& row) const { return row.slack <= near_; }
  // Only rows that move or nearly move remain working rows.
  void shrink();

  [[nodiscard]] std::span<DualRow> kept() { return {rows_.data(), kept_}; }
  [[nodiscard]] std::span<DualRow> working() { return {rows_.data(), working_}; }

 private:
  [[nodiscard]] float slack_of_near(std::span<const DualRow> rows);
  void keep_copies(std::span<const DualRow> rows, float near);
  void keep_views(std::span<DualRow> rows, float near);
  void view_copies();
  void gather_values(std::span<DualRow> rows, std::size_t at);

  Options options_;
  RowParts parts_;
  std::size_t kept_ = 0;            // Rows of the set; the memory behind them has old contents.
  std::size_t working_ = 0;         // Number of working rows among the kept rows.
  float near_ = 0;                  // Rows with more slack than this leave the working part.
  std::vector<float> near_slacks_;  // Slacks of the rows at rest in the set, at their first visits.
  std::vector<float> slacks_;       // Reused scratch memory.
  // Members of Memory: the rows, and copies of their values.
  std::vector<DualRow>& rows_;
  std::vector<std::uint32_t>& features_;
  std::vector<float>& values_;
};

}  // namespace surety::learn
