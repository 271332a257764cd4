// Visits of dual coordinate ascent by several threads.
//
// Rows are visited in rounds. In a round each thread ascends over a slice of rows of its own, on
// its own copy of the model. Then the changes of all are added up, and the model and the dual
// variables go along their sum as far as the dual rises: CoCoA inside of a node, with a line search
// and a sigma' just above 1. A row misses nothing but what the other threads changed in this round.
//
// Along the sum d of the changes of the model, with w its weights before,
//   gain(t) >= t fall - (t w.d + t^2 |d|^2 / 2) / scale,  fall = sum l*(-alpha) - l*(-alpha'),
// since l* is convex and |soft(v)|^2 / 2 is smooth with constant 1; for the hinge loss without an
// L1 norm it is the gain. The step is where it is highest in [0, 1], or the whole one where that is
// not far beyond, so that the dual never falls.
//
// A thread writes to its own memory only, and reads that of the others from front to back: lines
// that change their owner are what a second thread costs, next to passes.
//
// What comes out depends on the number of threads and on nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/team.h"
#include "learn/glm_kernels.h"

namespace surety::learn {

class Replicas {
 public:
  // A thread's model with the changes of its slice.
  struct Slice {
    std::vector<double> exact;
    std::vector<float> rounded;  // Of dense rows only.
    double fall = 0;
  };
  struct Copy {
    std::vector<double> common;  // The model after the last merge; of the first thread, `v` is.
    // Of even and odd rounds: a thread goes on while others still read what its last slice made.
    std::array<Slice, 2> slices;
    std::vector<float> before;  // Dual variables of the last slice before it.
  };
  using Memory = std::vector<Copy>;

  // All must outlive it. `v` and `rounded` are the model, as in LocalModel.
  Replicas(const DualProblem& problem, const RowKernels& kernels, Team& team, Memory& memory,
           std::vector<double>& v, std::vector<float>& rounded);

  // Visits the rows in so many rounds, and moves the model; asks before each round whether to go
  // on, and ends early where not. REQUIRES: rounds >= 1.
  [[nodiscard]] PassSums visit(std::span<DualRow> rows, std::size_t rounds,
                               const std::function<bool()>& go_on);

  // Sets the dual variables of the rows to `to` if the dual is higher there, and moves the model.
  // REQUIRES: values that the loss allows, one a row.
  void go_to(std::span<DualRow> rows, std::span<const float> to);

  // Somebody else has moved the model: the copies are old.
  void forget() { current_ = false; }

 private:
  enum class Rule : std::uint8_t { kAsFarAsItRises, kAllOrNothing };
  struct Part {
    std::span<DualRow> rows;   // Of the rounds to come,
    std::span<DualRow> slice;  // of this one.
    PassSums sums;
  };
  void copy_model(std::size_t thread);
  void deal_out(std::span<DualRow> rows);
  // Takes the next rows as the slice, moves their dual variables and the slice's model by
  // `visit`(rows, slice), and notes how far.
  template <typename Visit>
  void move_slice(std::size_t thread, std::size_t count, Visit visit);
  void begin_round();
  void merge_all(Rule rule);
  void merge(std::size_t thread, std::size_t round, Rule rule);
  [[nodiscard]] std::span<double> common(std::size_t thread);
  [[nodiscard]] double best_step(std::size_t thread, std::size_t round, std::span<double> whole);

  const DualProblem& problem_;
  DualProblem damped_;  // With sigma'.
  const RowKernels& kernels_;
  Team& team_;
  Memory& copies_;
  std::vector<double>& v_;
  std::vector<float>& rounded_;
  std::vector<Part> parts_;
  bool dense_ = false;     // The rows of this visit.
  bool current_ = false;   // The copies are the model.
  std::size_t round_ = 0;  // Of all visits.
};

}  // namespace surety::learn
