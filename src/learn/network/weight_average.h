// The average of a network's weights over the last iterations of local SGD. The average is
// evaluated and kept, while training continues from the weights themselves (Polyak and Juditsky
// 1992; Izmailov 2018, stochastic weight averaging). From one checkpoint to the next, the loss of
// the weights varies by several times the gain of a pass; the loss of their average hardly varies.
//
// The average is exponential, in passes over the data: a model of x passes ago has weight exp(-x /
// w). The time constant w is a constant share of the passes trained so far, up to a limit. So in
// the first passes, when the weights change fast, the average covers a short time and does not lag
// behind.
//
// Batch-norm statistics are averaged with the weights. Pure functions: all workers have the same
// models and compute the same bytes of the average, so the average is never sent.
#pragma once

#include <optional>

#include "learn/model.h"

namespace surety::learn {

// The position of an iteration among all iterations of the model, from the untrained model on.
struct AverageTurn {
  double passes = 0;  // The largest time constant of the average.
  double begin = 0;   // Passes over the data before the iteration.
  double end = 0;     // Passes over the data after the iteration.
};

// Weight of the newest model in the average, from 0 to 1. It is 1 if the time constant is 0.
// REQUIRES: passes > 0; 0 <= begin <= end.
[[nodiscard]] double weight_of_newest(const AverageTurn& turn);

// Adds the model's parameters to its average. A model without an average gets its parameters as the
// average; without a turn it loses its average. O(parameters).
void take_into_average(const std::optional<AverageTurn>& turn, Model& model);

}  // namespace surety::learn
