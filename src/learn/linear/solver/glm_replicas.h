// Visits of dual coordinate ascent by several threads.
//
// Rows are visited in rounds. In a round each thread ascends over its own slice of rows, on its own
// copy of the model. Then the changes of all threads are added up, and the model and the dual
// variables move along the sum as far as the dual rises. This is CoCoA inside a node, with a line
// search and a sigma' just above 1. A visit lacks only the changes that the other threads make in
// the same round.
//
// Let d be the sum of the changes of the model, and w its weights before. Along d,
//   gain(t) >= t fall - (t w.d + t^2 |d|^2 / 2) / scale,  fall = sum l*(-alpha) - l*(-alpha'),
// because l* is convex and |soft(v)|^2 / 2 is smooth with constant 1. For the hinge loss without an
// L1 norm the bound is equal to the gain. The step is the maximum of the bound in [0, 1], or 1 if
// the maximum is not far below 1, so the dual never falls.
//
// A thread writes only to its own memory, and reads the memory of the others from front to back.
// Apart from its passes, the main cost of a second thread are cache lines that move between cores.
//
// The result depends only on the inputs and the number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/team.h"
#include "learn/linear/kernels/glm_kernels.h"

namespace surety::learn {

class Replicas {
 public:
  // A thread's model with the changes of its slice.
  struct Slice {
    std::vector<double> exact;
    std::vector<float> rounded;  // Used only for dense rows.
    double fall = 0;
  };
  struct Copy {
    // The model after the last merge. The first thread uses `v` instead.
    std::vector<double> common;
    // For even and odd rounds: a thread continues while others still read the result of its last
    // slice.
    std::array<Slice, 2> slices;
    std::vector<float> before;  // Dual variables of the last slice before its visits.
  };
  using Memory = std::vector<Copy>;

  // All arguments must outlive the object. `v` and `rounded` are the model, as in LocalModel.
  Replicas(const DualProblem& problem, const RowKernels& kernels, Team& team, Memory& memory,
           std::vector<double>& v, std::vector<float>& rounded);

  // Visits the rows in `rounds` rounds, and moves the model. Calls `should_continue` before each
  // round, and ends early if it returns false. REQUIRES: rounds >= 1.
  [[nodiscard]] PassSums visit(std::span<DualRow> rows, std::size_t rounds,
                               const std::function<bool()>& should_continue);

  // Sets the dual variables of the rows to `to` if the dual is higher there, and moves the model.
  // REQUIRES: one value for each row, which the loss allows.
  void move_to(std::span<DualRow> rows, std::span<const float> to);

  // Must be called after other code has moved the model, because the copies are then out of date.
  void forget() { is_current_ = false; }

 private:
  enum class Rule : std::uint8_t { kAsFarAsItRises, kAllOrNothing };
  struct Part {
    std::span<DualRow> rows;   // Rows of the rounds to come.
    std::span<DualRow> slice;  // Rows of this round.
    PassSums sums;
  };
  void copy_model(std::size_t thread);
  void distribute_rows(std::span<DualRow> rows);
  // Takes the thread's next rows as its slice. `visit`(rows, slice) moves their dual variables and
  // the slice's model. Stores how far the conjugates fall.
  template <typename Visit>
  void move_slice(std::size_t thread, std::size_t count, Visit visit);
  void begin_round();
  void merge_all(Rule rule);
  void merge(std::size_t thread, std::size_t round, Rule rule);
  [[nodiscard]] std::span<double> common(std::size_t thread);
  [[nodiscard]] double best_step(std::size_t thread, std::size_t round, std::span<double> whole);

  const DualProblem& problem_;
  DualProblem damped_;  // The problem with sigma' in its scale.
  const RowKernels& kernels_;
  Team& team_;
  Memory& copies_;
  std::vector<double>& v_;
  std::vector<float>& rounded_;
  std::vector<Part> parts_;
  bool is_dense_ = false;    // Whether the rows of this visit are dense.
  bool is_current_ = false;  // Whether the copies are equal to the model.
  std::size_t round_ = 0;    // Rounds of all visits so far.
};

}  // namespace surety::learn
