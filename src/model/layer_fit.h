// Least squares for one layer: changes its weights so that its outputs are close to given targets,
// although its inputs have changed. After channels were removed, this moves their contribution to
// the channels that stay (He, Zhang and Sun, "Channel Pruning for Accelerating Very Deep Neural
// Networks", 2017).
//
// For an output y = w x + b and a target t, the change d of (w, b) minimises
//   sum over rows of |t - y - d (x, 1)|^2 + ridge * m * |d of w|^2 + noise * |d of w * x|^2,
// where m is the mean square of the inputs and the last product is element by element. The ridge
// pulls towards the current weights of the layer, not towards 0: if the rows contain no
// information, the layer does not change. The noise is that of dropout in front of the layer, which
// multiplies each input by 0 or 1 / (1 - rate), a variance of rate / (1 - rate). Without the noise
// term, the next training steps would destroy a change that is good only if all inputs are present.
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

// Sums over the rows of a layer's least squares. There is one row for each sample; in a
// convolution, for each sample and position. The outputs of a group have the same inputs: a linear
// layer and a convolution are one group, a depthwise convolution has one group for each channel.
struct LayerSums {
  std::uint32_t layer = 0;
  std::size_t groups = 1;
  std::size_t outputs = 0;  // Outputs of each group.
  std::size_t inputs = 0;   // Weights of each output; the constant 1 follows them.
  // groups x unknowns x unknowns: sums of x x', where a row x is (inputs, 1) and unknowns = inputs
  // + 1.
  std::vector<double> squares;
  std::vector<double> deviations;  // groups x outputs x unknowns: sums of (target - output) x'.

  [[nodiscard]] std::size_t unknowns() const { return inputs + 1; }
};

// Receives the sums of a layer and may change the layer's values. It is called for the layers in
// their order, and the inputs of each are the outputs of the changed layers before it.
using FitLayer = std::function<void(const LayerSums& sums)>;

// A layer with more unknowns in an equation is not changed: a matrix of this size takes 32 MiB,
// several matrices are held at once, and solving takes seconds.
inline constexpr std::size_t kFitUnknownsMax = 2048;

struct FitOptions {
  double ridge = 0;          // Relative to the mean square of the inputs.
  double noise = 0;          // Variance of the factor of each input.
  bool has_constant = true;  // If false, the constant does not change.
};

// The change of each output's weights and constant: groups x outputs x unknowns. All 0 if the sums
// are not finite, or contain no information. ENSURES: finite. O(groups * (unknowns^3 + outputs *
// unknowns^2)).
[[nodiscard]] std::vector<double> least_squares_change(const LayerSums& sums,
                                                       const FitOptions& options);

// Changes the layer's values by least_squares_change(). A constant is added to the bias. If the
// layer has no bias and only a batch norm reads it, the constant is subtracted from the running
// mean there; otherwise there is no constant. The noise is that of a dropout whose output the layer
// reads.
// REQUIRES: a valid spec; `values` in its layout; `sums` of one of its linear or convolutional
// layers.
void fit_layer(const NetSpec& spec, const LayerSums& sums, double ridge, std::span<float> values);

}  // namespace surety::model
