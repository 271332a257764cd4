// Products of rows and vectors, and steps of dual coordinate ascent, as fast as the processor
// allows. The training of a linear model spends its time here.
//
// Data and dual variables are float32, because memory is the bottleneck. The model that the steps
// move, products and sums are double: after a million steps on a float model, the model would no
// longer be the sum of its dual variables. A double model makes a pass over short sparse rows a
// tenth slower. It would double the time of a pass over dense rows, so dense rows are multiplied by
// a copy of the model that is rounded to float. Then a margin is off by some 1e-7 of |w| |x|, and
// the model is still the sum of its dual variables.
//
// There are three variants: portable C++, AVX2 with FMA, and AVX-512 with gather and scatter. They
// differ only in the order of sums: products by at most count * 2^-52 * sum |w_f x_f|. Only
// best_simd() decides which variant is used. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "learn/linear/kernels/glm_loss.h"

namespace surety::learn {

enum class Simd : std::uint8_t { kPortable, kAvx2, kAvx512 };

// The fastest variant that this processor can run.
[[nodiscard]] Simd best_simd();
// All variants that this processor can run, kPortable first.
[[nodiscard]] std::vector<Simd> usable_simd();
[[nodiscard]] const char* name_of(Simd simd);

// A row of a matrix, not owned. value[i] belongs to feature[i]; in a dense row `feature` is null,
// and value[i] belongs to feature i.
// REQUIRES of every use: the features of a row differ, and are below the length of the model.
struct RowView {
  const std::uint32_t* feature = nullptr;
  const float* value = nullptr;
  std::uint32_t count = 0;
};

inline constexpr float kNeverMoves = std::numeric_limits<float>::infinity();

// A sample, as passes read and change it.
struct DualRow {
  RowView x;
  float label = 0;        // In the form that the loss needs: -1 or +1, or a real number.
  float alpha = 0;        // The dual variable of the sample; passes change it.
  float* home = nullptr;  // Where the caller stores alpha after the passes; passes do not use it.
  // Written by passes: how far the margin of the row may move before alpha moves. It is 0 if alpha
  // moves already, and kNeverMoves if alpha is optimal as it is.
  float slack = 0;
};

struct RowProducts {
  double dot = 0;     // w.x
  double square = 0;  // x.x
};

// The dual of the local problem of CoCoA, in terms of its model v, which a step dalpha_i moves by
// scale * dalpha_i x_i:
//   -sum_i l_i*(-alpha_i) - ||soft(v, threshold)||^2 / (2 scale)
// with scale = sigma' / (lambda n). The weights are soft(v, threshold), which without an L1 norm is
// v itself (learn/linear/solver/glm_penalty.h).
struct DualProblem {
  Loss loss = Loss::kHinge;
  double scale = 1;
  double threshold = 0;
};

// The model that a pass moves.
struct LocalModel {
  double* exact = nullptr;
  // The same values as floats, before and after a pass. Used only by passes over dense rows without
  // a threshold.
  float* rounded = nullptr;
};

// Sums over the rows of a pass. Each row counts with the model at the time of its visit.
struct PassSums {
  double loss = 0;
  // Sum of l(z) + l*(-alpha) + alpha z before the step: what the row adds to the duality gap (times
  // n).
  double gap = 0;
  const DualRow* broken = nullptr;  // A row whose products are not finite; the pass ends at it.
};

struct RowKernels {
  RowProducts (*products)(const RowView& x, const double* w);
  void (*add)(const RowView& x, double scale, double* w);  // w += scale x
  // One step of dual coordinate ascent for each row, in the order of the rows. Without a threshold
  // it is the exact step. With one it is exact as long as no weight is or becomes zero, and shorter
  // otherwise.
  // ENSURES: v moves by exactly what the (rounded) dual variables moved. The dual never falls,
  // except by the rounding of the margins of dense rows.
  PassSums (*ascend)(const DualProblem& problem, std::span<DualRow> rows, const LocalModel& v);
};

// REQUIRES: the processor can run `simd`.
[[nodiscard]] const RowKernels& row_kernels(Simd simd = best_simd());

}  // namespace surety::learn
