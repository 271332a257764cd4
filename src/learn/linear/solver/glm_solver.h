// The local solver of CoCoA: dual coordinate ascent over the rows that a worker holds.
//
// First every row is visited once, block by block. If revisits are allowed, the solver then visits
// the working set (learn/linear/solver/glm_working_set.h) repeatedly, until the set's part of the
// duality gap is a tenth of the gap of all rows at their first visits. Passes over the set are
// extrapolated (learn/linear/solver/glm_extrapolation.h).
//
// Several threads share each of these steps if there are many rows
// (learn/linear/solver/glm_replicas.h). When the working set has become small, a single thread
// continues.
//
// CoCoA accepts any accuracy of the local solution, because the dual of the local problem never
// falls.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/linear/kernels/glm_kernels.h"
#include "learn/linear/solver/glm_extrapolation.h"
#include "learn/linear/solver/glm_replicas.h"
#include "learn/linear/solver/glm_row_parts.h"
#include "learn/linear/solver/glm_working_set.h"

namespace surety::learn {

class LocalSolver {
 public:
  struct Options {
    DualProblem problem{};
    std::uint64_t seed = 1;  // Seed of the order of the working set.
    // Visits after the first ones, relative to the number of rows that were visited first. A higher
    // limit than 2 does not help, because the rows outside of the working set are not improved.
    double revisits = 2;
    // Dense rows at rest that join the working set, relative to the rows that move. They are the
    // rows nearest to moving, and will move after the others have moved. On 200,000 rows of 1,000
    // features this saves a third of the iterations to a small gap. Twice as many cost more visits
    // than they save.
    double near_share = 0.4;
    bool rows_are_temporary = false;  // Values given to visit() are gone before finish().
    Simd simd = best_simd();
    Team* team = nullptr;  // Threads to visit many rows with; null means only the caller's thread.
  };
  // Memory that one solver leaves to the next one, because newly allocated memory costs as much
  // time as learning on it.
  struct Memory {
    WorkingSet::Memory set{};
    Extrapolation series{};
    std::vector<double> guess{};
    std::vector<float> rounded{};
    Replicas::Memory replicas{};
  };
  // Moves `v`, the local model (learn/linear/kernels/glm_kernels.h). `stop` is polled at least
  // every 50 ms of work. All arguments must outlive the solver. The contents of `memory` have no
  // meaning.
  LocalSolver(const Options& options, std::vector<double>& v, Memory& memory,
              const std::atomic<bool>& stop);

  // Visits the rows once, in their order, and writes their dual variables to `home`. The memory
  // that the rows view, and their homes, must stay valid until finish().
  // Unavailable if `stop` was set. InvalidInput if a row has values that are not finite or far too
  // large; sample_of() names the sample.
  [[nodiscard]] Result<void> visit(std::span<DualRow> rows,
                                   const std::function<std::size_t(const DualRow&)>& sample_of);

  // Revisits the rows that can still move, and writes their dual variables to `home`. Call it once,
  // at the end. Unavailable if `stop` was set.
  [[nodiscard]] Result<void> finish();

  // Sums over the first visits (PassSums).
  [[nodiscard]] double loss_sum() const { return loss_sum_; }
  [[nodiscard]] double gap_sum() const { return gap_sum_; }
  [[nodiscard]] std::uint64_t visited() const { return visited_; }
  // Visits of rows in finish(), extrapolations included.
  [[nodiscard]] std::uint64_t revisited() const { return revisited_; }

 private:
  [[nodiscard]] Result<PassSums> pass(std::span<DualRow> rows);
  [[nodiscard]] std::size_t rounds_for(std::span<const DualRow> rows) const;
  void round_model();
  void write_back(std::span<DualRow> rows);
  [[nodiscard]] std::size_t add_point();
  void begin_series();
  void try_guess(std::span<const double> guess);

  Options options_;
  const RowKernels& kernels_;
  std::vector<double>& v_;
  const std::atomic<bool>& stop_;
  double loss_sum_ = 0;
  double gap_sum_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t revisited_ = 0;
  RowParts parts_;
  WorkingSet set_;
  // Members of Memory: the points of the series, and scratch.
  Extrapolation& series_;
  std::vector<double>& guess_v_;
  std::vector<float>& rounded_;   // v_ rounded, for passes over dense rows.
  std::optional<Replicas> team_;  // Set if there is more than one thread.
};

}  // namespace surety::learn
