// Rows times vectors and steps of dual coordinate ascent, as fast as the processor allows: what
// training a linear model spends its time in.
//
// Data and dual variables are float32, because memory is the bottleneck; the model that the steps
// move, products and sums are double, because a million steps on the same float would leave the
// model beside the sum of its duals. A double model costs a tenth of the time of a pass over short
// sparse rows. Over dense rows it would double it, so these are multiplied by a rounded copy of it,
// in float: a margin is off by some 1e-7 of |w| |x|, and the model is still the sum of its duals.
//
// Three variants do the same: portable C++, AVX2 with FMA, and AVX-512 with gather and scatter.
// They differ in the order of sums only: products by at most count * 2^-52 * sum |w_f x_f|.
// Which one to use is decided by best_simd() alone. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "learn/glm_loss.h"

namespace surety::learn {

enum class Simd : std::uint8_t { kPortable, kAvx2, kAvx512 };

// The fastest that this processor has.
[[nodiscard]] Simd best_simd();
// All that it has, kPortable first.
[[nodiscard]] std::vector<Simd> usable_simd();
[[nodiscard]] const char* name_of(Simd simd);

// A row of a matrix, not owned: value[i] belongs to feature[i], or to feature i of a dense row,
// where `feature` is null.
// REQUIRES of every use: features of a row differ and are below the length of the model.
struct RowView {
  const std::uint32_t* feature = nullptr;
  const float* value = nullptr;
  std::uint32_t count = 0;
};

inline constexpr float kNeverMoves = std::numeric_limits<float>::infinity();

// A sample on its way through passes.
struct DualRow {
  RowView x;
  float label = 0;        // As the loss wants it: -1 or +1, or a real number.
  float alpha = 0;        // Its dual variable; changed by passes.
  float* home = nullptr;  // Where alpha is kept when the passes are over; passes leave it alone.
  // Written by passes: how far its margin may move before alpha does; 0 where it moves already,
  // kNeverMoves where it is optimal as it is.
  float slack = 0;
};

struct RowProducts {
  double dot = 0;     // w.x
  double square = 0;  // x.x
};

// The dual of the local problem of CoCoA, in terms of its model v, which a step dalpha_i moves by
// scale * dalpha_i x_i:
//   -sum_i l_i*(-alpha_i) - ||soft(v, threshold)||^2 / (2 scale)     with scale = sigma' / (lambda
//   n).
// Its weights are soft(v, threshold): v itself without an L1 norm (glm_penalty.h).
struct DualProblem {
  Loss loss = Loss::kHinge;
  double scale = 1;
  double threshold = 0;
};

// The model that a pass moves.
struct LocalModel {
  double* exact = nullptr;
  // The same as floats, before and after; of passes over dense rows without a threshold.
  float* rounded = nullptr;
};

// Sums over the rows of a pass, each at the model that the row was visited with.
struct PassSums {
  double loss = 0;
  // l(z) + l*(-alpha) + alpha z before the step: what the row adds to the duality gap (times n).
  double gap = 0;
  const DualRow* broken = nullptr;  // A row with products that are not finite; the pass ends there.
};

struct RowKernels {
  RowProducts (*products)(const RowView& x, const double* w);
  void (*add)(const RowView& x, double scale, double* w);  // w += scale x
  // One step of dual coordinate ascent for each row, in their order: the exact one, or with a
  // threshold the one that is exact where no weight is or becomes zero, and short of it elsewhere.
  // ENSURES: v moves by exactly what the (rounded) dual variables moved; the dual never falls, but
  // for the rounding of margins of dense rows.
  PassSums (*ascend)(const DualProblem& problem, std::span<DualRow> rows, const LocalModel& v);
};

// REQUIRES: the processor has `simd`.
[[nodiscard]] const RowKernels& row_kernels(Simd simd = best_simd());

}  // namespace surety::learn
