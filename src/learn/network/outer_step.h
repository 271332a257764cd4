// The outer optimiser of local SGD. It takes the averaged update of an iteration as the slope of a
// second gradient descent, with Nesterov momentum (DiLoCo: Douillard et al. 2023, algorithm 1):
//
//   v <- momentum * v + u
//   w <- w + learning_rate * (u + momentum * v)
//
// where u is the averaged update (local models - model; the paper's outer gradient is -u). This is
// PyTorch's SGD with nesterov. momentum 0 and learning_rate 1 give the average of the local models.
#pragma once

#include <span>

namespace surety::learn {

struct OuterOptions {
  float momentum = 0;
  float learning_rate = 1;

  [[nodiscard]] bool is_average() const { return momentum == 0 && learning_rate == 1; }
};

// In: parameters w + u. Out: parameters and velocity after the step above. With momentum 0,
// `velocity` may be empty, and does not change. REQUIRES: otherwise all sizes are equal.
void outer_step(const OuterOptions& options, std::span<const float> update,
                std::span<float> velocity, std::span<float> parameters);

}  // namespace surety::learn
