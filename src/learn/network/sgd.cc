#include "learn/network/sgd.h"

#include <cstddef>

#include "base/check.h"

namespace surety::learn {

void sgd_step(const SgdOptions& options, std::span<const float> gradients,
              std::span<float> velocity, std::span<float> parameters) {
  SURETY_CHECK(gradients.size() == parameters.size());
  SURETY_CHECK(velocity.size() == parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradients[i] + options.weight_decay * parameters[i];
    velocity[i] = options.momentum * velocity[i] + slope;
    parameters[i] -= options.learning_rate * velocity[i];
  }
}

}  // namespace surety::learn
