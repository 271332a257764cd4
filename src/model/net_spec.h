// A network as data: its layers in the order of computation. Each layer names the layers whose
// output it reads.
//
// Only numbers that cannot be derived from others are stored: a convolution has its number of
// output channels, but not its number of input channels. So a network becomes narrower (prune.h) if
// `out` of a few layers is reduced, and no other number can contradict it. Parameters are not
// stored here: layout.h defines their positions.
//
// Everything is a pure function of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::model {

// The input of a network, and the number of its outputs.
struct Input {
  // Planar order: channel, row, column.
  std::uint32_t channels = 1;
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  std::uint32_t classes = 0;  // Number of scores for each sample.

  [[nodiscard]] std::uint64_t features() const { return std::uint64_t{channels} * height * width; }
  friend bool operator==(const Input&, const Input&) = default;
};

enum class LayerKind {
  kLinear,         // `out` features; the input must be flat.
  kConv,           // `out` channels, kernel x kernel, stride, padding with zeros.
  kDepthwiseConv,  // A convolution with one filter for each channel, which keeps their number.
  kBatchNorm,      // Normalises each channel; epsilon 1e-5, running statistics with momentum 0.1.
  kRelu,
  kMaxPool,  // Uses kernel, stride and padding.
  kAvgPool,  // Uses kernel, stride and padding; the zeros of the padding count.
  kGlobalAvgPool,
  kFlatten,  // Orders the values by channel, then by row.
  kDropout,  // Drops each value with probability `rate` while training.
  kAdd,      // The sum of two outputs of the same shape.
};

inline constexpr std::int32_t kNetworkInput = -1;

// One layer. Fields that the comment on its kind does not mention are ignored.
struct Layer {
  LayerKind kind = LayerKind::kRelu;
  std::string name = {};               // Unique; its tensors are called "name.weight" and so on.
  std::int32_t input = kNetworkInput;  // The earlier layer whose output it reads.
  std::int32_t other = kNetworkInput;  // Second operand of kAdd.
  std::uint32_t out = 0;
  std::uint32_t kernel = 1;
  std::uint32_t stride = 1;
  std::uint32_t padding = 0;
  bool bias = true;  // Used only by kLinear, kConv and kDepthwiseConv.
  double rate = 0;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// The output of the last layer is the output of the network: flat, one score (logit) for each
// class.
struct NetSpec {
  std::string name;
  Input input;
  std::vector<Layer> layers;

  friend bool operator==(const NetSpec&, const NetSpec&) = default;
};

// A layer's output for one sample. Flat values have height = width = 1 and channels = features.
struct Shape {
  std::uint32_t channels = 0;
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  bool flat = false;

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{channels} * height * width; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// One shape for each layer, or InvalidInput that names the faulty layer: an input that does not
// exist, a window larger than its input, operands of different shapes, a classifier of the wrong
// size, or more than 2^31 values. A spec for which this succeeds is *valid*; the other functions of
// this module REQUIRE it. O(layers).
[[nodiscard]] Result<std::vector<Shape>> output_shapes(const NetSpec& spec);

// output_shapes() of a valid spec. REQUIRES: valid.
[[nodiscard]] std::vector<Shape> shapes_of(const NetSpec& spec);

// The shape of a layer's input: shapes[layer.input], or the network's input.
[[nodiscard]] Shape input_shape(const NetSpec& spec, const std::vector<Shape>& shapes,
                                std::size_t layer);

// Multiply-adds in one forward pass of one sample, in linear and convolutional layers (the others
// are counted as free). Training costs about three times as much.
[[nodiscard]] std::uint64_t multiply_adds(const NetSpec& spec);

}  // namespace surety::model
