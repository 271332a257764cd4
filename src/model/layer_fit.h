// Least squares of one layer: its weights are changed so that its answers come near to given ones,
// although it reads other values than before. After channels were removed, this moves what they
// contributed to the channels that stay (He, Zhang and Sun, "Channel Pruning for Accelerating Very
// Deep Neural Networks", 2017).
//
// For an output y = w x + b and a target t, the change d of (w, b) minimises
//   sum over rows of |t - y - d (x, 1)|^2 + ridge * m * |d of w|^2 + noise * |d of w * x|^2,
// where m is the mean square of the inputs and the last product is one by one. The ridge draws
// towards the weights that the layer has, not towards 0: where the rows say nothing, the layer
// stays as it is. The noise is that of dropout in front of the layer, which multiplies each input
// by 0 or 1 / (1 - rate), a variance of rate / (1 - rate): a change that is good only as long as
// all inputs are there would be torn apart by the next steps of training.
//
// Everything is a pure function of its arguments. No libtorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

// Sums over the rows of a layer's least squares: one row for each sample, of a convolution for each
// sample and position. Outputs of one group read the same inputs: a linear layer and a convolution
// are one group, a depthwise convolution is one for each channel.
struct LayerSums {
  std::uint32_t layer = 0;
  std::size_t groups = 1;
  std::size_t outputs = 0;         // Of a group.
  std::size_t inputs = 0;          // Weights of an output; the constant 1 comes behind them.
  std::vector<double> squares;     // groups x unknowns x unknowns: sums of x x'; unknowns = inputs
                                   // + 1, rows of x are (inputs, 1).
  std::vector<double> deviations;  // groups x outputs x unknowns: sums of (target - answer) x'.

  [[nodiscard]] std::size_t unknowns() const { return inputs + 1; }
};

// Gets the sums of a layer and may change its values. Layers come in their order, and each reads
// what the changed ones before it answer.
using FitLayer = std::function<void(const LayerSums& sums)>;

// A layer with more unknowns in an equation is left as it is: a matrix of these takes 32 MiB, of
// which some are held at once, and seconds to solve.
inline constexpr std::size_t kFitUnknownsMax = 2048;

struct FitOptions {
  double ridge = 0;          // Of the mean square of the inputs.
  double noise = 0;          // Variance of what multiplies each input.
  bool has_constant = true;  // Else it does not change.
};

// The change of each output's weights and its constant: groups x outputs x unknowns. All 0 where
// the sums are not finite or say nothing. ENSURES: finite. O(groups * (unknowns^3 + outputs *
// unknowns^2)).
[[nodiscard]] std::vector<double> least_squares_change(const LayerSums& sums,
                                                       const FitOptions& options);

// Changes the layer's values by least_squares_change(). A constant is added to the bias; of a layer
// without one that only a batch norm reads, it is taken from the running mean there; else there is
// none. The noise is that of a dropout that the layer reads.
// REQUIRES: a valid spec; `values` in its layout; `sums` of one of its linear or convolutional
// layers.
void fit_layer(const NetSpec& spec, const LayerSums& sums, double ridge, std::span<float> values);

}  // namespace surety::model
