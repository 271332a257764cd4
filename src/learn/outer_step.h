// The outer optimizer of local SGD: the averaged update of an iteration is taken as the slope of a
// second gradient descent, with Nesterov momentum (DiLoCo: Douillard et al. 2023, algorithm 1):
//
//   v <- momentum * v + u
//   w <- w + learning_rate * (u + momentum * v)
//
// with u the averaged update (local models - model; the paper's outer gradient is -u), as PyTorch's
// SGD with nesterov. momentum 0 and learning_rate 1 is the average of the local models.
#pragma once

#include <span>

namespace surety::learn {

struct OuterOptions {
  float momentum = 0;
  float learning_rate = 1;

  [[nodiscard]] bool is_average() const { return momentum == 0 && learning_rate == 1; }
};

// In: parameters w + u. Out: as above. Where momentum is 0, `velocity` may be empty, and is not
// touched. REQUIRES: else equal sizes.
void outer_step(const OuterOptions& options, std::span<const float> update,
                std::span<float> velocity, std::span<float> parameters);

}  // namespace surety::learn
