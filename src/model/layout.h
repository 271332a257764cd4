// Where everything that a network learns lies in one flat float32 vector.
//
// Trainable parameters come first, in layer order (weight, then bias); the running statistics of
// batch-norm layers follow, in layer order (mean, then variance). So the optimiser works on
// the prefix [0, trainable) and what is merged, sent and stored is the whole. No padding.
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
  std::uint64_t offset = 0;  // In values.
  std::uint64_t size = 0;    // In values: the product of shape.
};

struct Layout {
  std::vector<TensorSlot> tensors;  // By rising offset; each begins where the one before ends.
  std::uint64_t trainable = 0;      // Values that gradients exist for: what papers count.
  std::uint64_t size = 0;           // All values.

  [[nodiscard]] std::uint64_t bytes() const { return size * sizeof(float); }
};

// REQUIRES: a valid spec.
[[nodiscard]] Layout layout_of(const NetSpec& spec);

}  // namespace surety::model
