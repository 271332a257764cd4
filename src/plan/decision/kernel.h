// The change of a distribution over levels in passes of a version, or in a switch.
//
// A row contains, for one level, the chances of the levels after it. Level 0 is absorbing: the job
// stops there and keeps the checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/types.h"

namespace surety::plan {

// Banded rows. A row stores the chances of levels first, first + 1, ...
class Kernel {
 public:
  struct Row {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t offset = 0;
  };

  void add_row(std::uint32_t first, const std::vector<double>& chances);
  [[nodiscard]] std::vector<double> apply(const std::vector<double>& pmf) const;
  [[nodiscard]] std::size_t levels() const { return rows_.size(); }
  // The chances of levels first, first + 1, ... after a given level.
  struct View {
    std::uint32_t first = 0;
    std::span<const double> chances;
  };
  [[nodiscard]] View view(std::size_t level) const {
    const Row& row = rows_[level];
    return {row.first, {chances_.data() + row.offset, row.count}};
  }
  // The chances over all levels. ENSURES: none is negative; their sum is 1.
  [[nodiscard]] std::vector<double> row(std::size_t level) const;

 private:
  std::vector<Row> rows_;        // Filled by add_row().
  std::vector<double> chances_;  // The chances of all rows, one row after the other.
};

// How a metric between two levels is assigned to levels.
enum class Rounding : std::uint8_t {
  // Split between both levels so that the mean is kept. A pass adds no drift, only some spread.
  // Used for planning.
  kLinear,
  // Rounded to the higher or the lower level, and each cell of the noise to its worse or better
  // end. Rows are monotone, so for a fixed schedule's success probabilities up <= true <= down.
  // Used as bounds in certificates. They drift by half a level per pass and are wide unless a pass
  // crosses many levels.
  kUp,
  kDown,
};

// The effect of `passes` passes of a version. The run effect, constant over a run, is spread over
// the passes so that `passes_expected` of them together have the same variance. The graph does not
// distinguish runs; the simulation does.
[[nodiscard]] Kernel pass_kernel(const std::vector<double>& grid, const Setting& setting,
                                 std::size_t version, std::uint32_t passes, double passes_expected,
                                 Rounding rounding = Rounding::kLinear);

// One pass of a version in a run whose passes go `rate_factor` times as far as the law's.
[[nodiscard]] Kernel class_pass_kernel(const std::vector<double>& grid, const VersionLaw& law,
                                       double rate_factor, Rounding rounding = Rounding::kLinear);

// The kernel that keeps every level.
[[nodiscard]] Kernel identity_kernel(std::size_t levels);

[[nodiscard]] Kernel switch_kernel(const std::vector<double>& grid, const Setting& setting,
                                   std::size_t from, std::size_t to,
                                   Rounding rounding = Rounding::kLinear);

// The distribution over levels of a version's untrained model.
[[nodiscard]] std::vector<double> start_pmf(const std::vector<double>& grid, const Setting& setting,
                                            std::size_t version,
                                            Rounding rounding = Rounding::kLinear);

}  // namespace surety::plan
