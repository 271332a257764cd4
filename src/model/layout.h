// The positions of all values that a network learns in one flat float32 vector.
//
// Trainable parameters come first, in layer order (weight, then bias). The running statistics of
// batch-norm layers follow, in layer order (mean, then variance). So the optimiser works on the
// prefix [0, trainable), and the whole vector is merged, sent and stored. There is no padding.
// Names and shapes are those of PyTorch's state_dict: weights are [out, in, row, column].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

enum class TensorRole {
  kWeight,           // linear, convolution
  kBias,             // linear, convolution
  kScale,            // batch norm: gamma, "weight"
  kShift,            // batch norm: beta, "bias"
  kRunningMean,      // batch norm
  kRunningVariance,  // batch norm, unbiased
};

struct TensorSlot {
  std::string name;
  std::uint32_t layer = 0;  // Index into NetSpec::layers.
  TensorRole role = TensorRole::kWeight;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // Number of values before it, not of bytes.
  std::uint64_t size = 0;    // Number of values: the product of shape.
};

struct Layout {
  // In ascending order of offset; each begins where the one before ends.
  std::vector<TensorSlot> tensors;
  std::uint64_t trainable = 0;  // Values that have gradients; papers count these as parameters.
  std::uint64_t size = 0;       // The values of all tensors.

  [[nodiscard]] std::uint64_t bytes() const { return size * sizeof(float); }
};

// REQUIRES: a valid spec.
[[nodiscard]] Layout layout_of(const NetSpec& spec);

}  // namespace surety::model
