// The local solver of CoCoA: dual coordinate ascent over the rows that a worker holds.
//
// First every row is visited once, block by block. If revisits are allowed, the solver then visits
// the working set again and again, until what it adds to the duality gap is a tenth of what all
// rows added at first. The working set consists of the rows that can still move and of the dense
// ones that nearly can: most rows of an SVM rest at a bound, and the few others decide (working
// sets, or shrinking: Joachims 1999; Hsieh et al., ICML 2008). Short rows of the set would lie
// scattered in memory, so they are first copied together. Passes over the set are extrapolated
// (learn/linear/glm_extrapolation.h).
//
// Several threads share each of these steps if there are many rows (learn/linear/glm_replicas.h). A
// single thread continues when the working set has become small.
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
#include "learn/linear/glm_extrapolation.h"
#include "learn/linear/glm_replicas.h"
#include "learn/linear/kernels/glm_kernels.h"

namespace surety::learn {

class LocalSolver {
 public:
  struct Options {
    DualProblem problem{};
    std::uint64_t seed = 1;  // Seed of the order of the working set.
    // Visits after the first ones, relative to the number of rows that were visited first. More
    // than 2 gains nothing, because the rows outside of the working set fall behind.
    double revisits = 2;
    // Dense rows at rest that join the working set, relative to the rows that move. They are the
    // rows nearest to moving, and will move when the others have moved. On 200,000 rows of 1,000
    // features this saves a third of the iterations to a small gap. Twice as many cost more visits
    // than they save.
    double near_share = 0.4;
    bool rows_are_temporary = false;  // Values given to visit() are gone before finish().
    Simd simd = best_simd();
    Team* team = nullptr;  // Threads to visit many rows with; null means only the caller's thread.
  };
  // What one solver leaves to the next one, because fresh memory costs as much time as learning on
  // it.
  struct Memory {
    std::vector<DualRow> set;
    Extrapolation series;
    std::vector<std::uint32_t> features;
    std::vector<float> values;
    std::vector<double> guess;
    std::vector<float> rounded;
    Replicas::Memory replicas;
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
  [[nodiscard]] float slack_of_near(std::span<const DualRow> rows);
  void write_back(std::span<DualRow> rows);
  void keep(std::span<DualRow> rows);
  void keep_copies(std::span<const DualRow> rows, float near);
  void keep_views(std::span<DualRow> rows, float near);
  void view_copies();
  void for_parts(std::span<DualRow> rows,
                 const std::function<void(std::span<DualRow>, std::size_t)>& part);
  void for_many(std::span<DualRow> rows,
                const std::function<void(std::span<DualRow>, std::size_t)>& part);
  void mix();
  void gather_values();
  void gather_values(std::span<DualRow> rows, std::size_t at);
  [[nodiscard]] std::size_t add_point();
  void shrink();
  void begin_series();
  void try_guess(std::span<const double> guess);
  [[nodiscard]] std::span<DualRow> kept() { return {set_.data(), kept_}; }
  [[nodiscard]] std::span<DualRow> working() { return {set_.data(), working_}; }

  Options options_;
  const RowKernels& kernels_;
  std::vector<double>& v_;
  const std::atomic<bool>& stop_;
  double loss_sum_ = 0;
  double gap_sum_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t revisited_ = 0;
  std::size_t kept_ = 0;            // Rows of the set; the memory behind them has old contents.
  std::size_t working_ = 0;         // How many of the kept rows can still move; they come first.
  float near_ = 0;                  // Rows with more slack than this leave the working part.
  std::vector<float> near_slacks_;  // Slacks of the rows at rest in the set, at their first visits.
  std::vector<float> slacks_;       // Reused scratch memory.
  // Members of Memory: the rows that could move at their first visit, copies of their values, and
  // scratch.
  std::vector<DualRow>& set_;
  Extrapolation& series_;
  std::vector<std::uint32_t>& features_;
  std::vector<float>& values_;
  std::vector<double>& guess_v_;
  std::vector<float>& rounded_;   // v_ rounded, for passes over dense rows.
  std::optional<Replicas> team_;  // Set if there is more than one thread.
};

}  // namespace surety::learn
