// Stochastic gradient descent with momentum and weight decay, on flat vectors:
//
//   v <- momentum * v + (g + weight_decay * w)
//   w <- w - learning_rate * v
//
// This is PyTorch's SGD without dampening, starting from v = 0 (Sutskever et al. 2013). As in
// PyTorch, weight decay applies to every trainable value, including biases and batch-norm scales.
#pragma once

#include <span>

namespace surety::learn {

struct SgdOptions {
  float learning_rate = 0.05f;
  float momentum = 0.9f;
  float weight_decay = 0;
};

// One step, in one pass over the three vectors. REQUIRES: equal sizes.
void sgd_step(const SgdOptions& options, std::span<const float> gradients,
              std::span<float> velocity, std::span<float> parameters);

}  // namespace surety::learn
