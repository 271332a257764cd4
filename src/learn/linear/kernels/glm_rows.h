// Rows and the functions on them that each variant of the kernels has (glm_kernels.h).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "learn/linear/kernels/glm_loss.h"

namespace surety::learn {

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
  // moves already, and kNeverMoves if alpha is optimal at any margin.
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
  // Sum of l(z) + l*(-alpha) + alpha z before the step: the terms of the rows in the duality gap,
  // times n.
  double gap = 0;
  // A row whose products are not finite. The pass ends at this row.
  const DualRow* broken = nullptr;
};

struct RowKernels {
  RowProducts (*products)(const RowView& x, const double* w);
  void (*add)(const RowView& x, double scale, double* w);  // w += scale x
  // One step of dual coordinate ascent for each row, in the order of the rows. Without a threshold
  // it is the exact step. With a threshold it is exact as long as no weight is or becomes zero, and
  // shorter otherwise. ENSURES: v moves by exactly what the (rounded) dual variables moved. The
  // dual never falls, except by the rounding of the margins of dense rows.
  PassSums (*ascend)(const DualProblem& problem, std::span<DualRow> rows, const LocalModel& v);
};

}  // namespace surety::learn
