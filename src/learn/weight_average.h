// The average of a network's weights over the last iterations of local SGD: what is evaluated and
// kept, while training goes on from the weights themselves (Polyak and Juditsky 1992; Izmailov
// 2018, stochastic weight averaging). The loss of the weights jumps from one checkpoint to the next
// by several times what a pass brings; that of their average hardly does.
//
// The average is exponential, in passes over the data: a model of x passes ago weighs exp(-x / w).
// The time constant w is a constant share of the passes trained so far, up to a limit: early, when
// each pass changes much, the average is short and does not lag behind.
//
// Batch-norm statistics are averaged with the weights. Pure functions: all workers have the same
// models and get the same bytes of average, so none is sent.
#pragma once

#include "learn/model.h"

namespace surety::learn {

// An iteration, among all that the model has had since it was untrained.
struct AverageTurn {
  double passes = 0;  // The largest time constant; 0: there is no average.
  double begin = 0;   // Passes over the data before the iteration,
  double end = 0;     // and with it.
};

// What the newest model weighs in the average, from 0 to 1; 1 where the time constant is 0.
// REQUIRES: passes > 0; 0 <= begin <= end.
[[nodiscard]] double weight_of_newest(const AverageTurn& turn);

// Takes the model's parameters into its average. A model without one gets its parameters as the
// average; without a time constant it loses the one that it has. O(parameters).
void take_into_average(const AverageTurn& turn, Model& model);

}  // namespace surety::learn
