// A network as data: layers in the order they are computed, each naming whose output it reads.
//
// Only what cannot be derived is stored: a convolution knows how many channels it makes, not how
// many it reads. So a network is made narrower (prune.h) by lowering `out` of a few layers, and
// nothing can contradict it. Parameters are not here: see layout.h for where each of them lies.
//
// Everything is a pure function of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::model {

// What a network is given and what it answers.
struct Input {
  std::uint32_t channels = 1, height = 1, width = 1;  // Planar: channel, row, column.
  std::uint32_t classes = 0;                          // Scores made per sample.

  [[nodiscard]] std::uint64_t features() const { return std::uint64_t{channels} * height * width; }
  friend bool operator==(const Input&, const Input&) = default;
};

enum class LayerKind {
  kLinear,         // out features; reads flat values.
  kConv,           // out channels, kernel x kernel, stride, padding by zeros.
  kDepthwiseConv,  // The same with one filter per channel: as many channels out as in.
  kBatchNorm,      // Per channel; epsilon 1e-5, running statistics with momentum 0.1.
  kRelu,
  kMaxPool,  // kernel, stride, padding.
  kAvgPool,  // kernel, stride, padding; padded zeros count.
  kGlobalAvgPool,
  kFlatten,  // Channel by channel, row by row.
  kDropout,  // Drops each value with probability `rate` while training.
  kAdd,      // The sum of two outputs of one shape.
};

inline constexpr std::int32_t kNetworkInput = -1;

// One layer. Fields that its kind does not list above are ignored.
struct Layer {
  LayerKind kind = LayerKind::kRelu;
  std::string name = {};               // Unique; its tensors are called "name.weight" and so on.
  std::int32_t input = kNetworkInput;  // The layer whose output it reads: an earlier one.
  std::int32_t other = kNetworkInput;  // kAdd: the second operand.
  std::uint32_t out = 0;
  std::uint32_t kernel = 1, stride = 1, padding = 0;
  bool bias = true;  // kLinear, kConv, kDepthwiseConv.
  double rate = 0;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// The last layer's output is the network's: flat, one score (logit) per class.
struct NetSpec {
  std::string name;
  Input input;
  std::vector<Layer> layers;

  friend bool operator==(const NetSpec&, const NetSpec&) = default;
};

// A layer's output for one sample. Flat values have height = width = 1 and channels = features.
struct Shape {
  std::uint32_t channels = 0, height = 1, width = 1;
  bool flat = false;

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{channels} * height * width; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// One shape per layer, or InvalidInput that names the layer at fault: no such input, a window
// larger than what it slides over, operands that differ, a classifier of the wrong size, more than
// 2^31 values. A spec for which this succeeds is *valid*; the other functions of this module
// REQUIRE it. O(layers).
[[nodiscard]] Result<std::vector<Shape>> output_shapes(const NetSpec& spec);

// The shapes of a valid spec. REQUIRES: valid.
[[nodiscard]] std::vector<Shape> shapes_of(const NetSpec& spec);

// What a layer reads: shapes[layer.input], or the network's input.
[[nodiscard]] Shape input_shape(const NetSpec& spec, const std::vector<Shape>& shapes,
                                std::size_t layer);

// Multiplications with an addition in one forward pass of one sample, in linear and convolutional
// layers (the others are counted as free); training costs about three times as much.
[[nodiscard]] std::uint64_t multiply_adds(const NetSpec& spec);

}  // namespace surety::model
