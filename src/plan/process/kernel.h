// How a probability over levels moves in some passes of a version, or in a switch.
//
// A row holds, for one level, the chances of the levels after it. Level 0 absorbs: the job stops
// there and keeps the checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/types.h"

namespace surety::plan {

// Banded rows: the chances of levels first, first + 1, ...
class Kernel {
 public:
  struct Row {
    std::uint32_t first = 0, count = 0, offset = 0;
  };

  void add_row(std::uint32_t first, const std::vector<double>& chances);
  [[nodiscard]] std::vector<double> apply(const std::vector<double>& pmf) const;
  [[nodiscard]] std::size_t levels() const { return rows_.size(); }
  // The chances of levels first, first + 1, ... after `level`.
  struct View {
    std::uint32_t first = 0;
    std::span<const double> chances;
  };
  [[nodiscard]] View view(std::size_t level) const {
    const Row& row = rows_[level];
    return {row.first, {chances_.data() + row.offset, row.count}};
  }
  // ENSURES: not negative, sums to 1, over all levels.
  [[nodiscard]] std::vector<double> row(std::size_t level) const;

 private:
  std::vector<Row> rows_;        // add_row() adds.
  std::vector<double> chances_;  // Of all rows, one after the other.
};

// How a metric between two levels becomes levels.
enum class Rounding : std::uint8_t {
  // Split between them so that the mean stays: no drift per pass, only some spread. For planning.
  kLinear,
  // To the higher or the lower one, and each cell of the noise to its worse or better end. Rows are
  // monotone, so that of a fixed schedule's success probabilities up <= true <= down: bounds, for
  // certificates. They drift by half a level per pass: wide unless a pass crosses many levels.
  kUp,
  kDown,
};

// `passes` passes of a version. The run effect, constant over a run, is spread over the passes so
// that `passes_expected` of them together vary as much as with it: the graph knows no run, the
// simulation does.
[[nodiscard]] Kernel pass_kernel(const std::vector<double>& grid, const Setting& setting,
                                 std::size_t version, std::uint32_t passes, double passes_expected,
                                 Rounding rounding = Rounding::kLinear);

// One pass of a version in a run whose passes go `rate_factor` times as far as the law's.
[[nodiscard]] Kernel class_pass_kernel(const std::vector<double>& grid, const VersionLaw& law,
                                       double rate_factor, Rounding rounding = Rounding::kLinear);

// Every level stays.
[[nodiscard]] Kernel identity_kernel(std::size_t levels);

[[nodiscard]] Kernel switch_kernel(const std::vector<double>& grid, const Setting& setting,
                                   std::size_t from, std::size_t to,
                                   Rounding rounding = Rounding::kLinear);

// The untrained model of a version as a probability over levels.
[[nodiscard]] std::vector<double> start_pmf(const std::vector<double>& grid, const Setting& setting,
                                            std::size_t version,
                                            Rounding rounding = Rounding::kLinear);

}  // namespace surety::plan
