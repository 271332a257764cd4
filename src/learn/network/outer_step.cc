#include "learn/network/outer_step.h"

#include <cstddef>

#include "base/check.h"

namespace surety::learn {

void outer_step(const OuterOptions& options, std::span<const float> update,
                std::span<float> velocity, std::span<float> parameters) {
  SURETY_CHECK(update.size() == parameters.size());
  SURETY_CHECK(options.momentum == 0 || velocity.size() == parameters.size());
  // `parameters` already contain u.
  for (std::size_t i = 0; i < update.size(); ++i) {
    float step = update[i];
    if (options.momentum > 0) {
      velocity[i] = options.momentum * velocity[i] + update[i];
      step += options.momentum * velocity[i];
    }
    parameters[i] += options.learning_rate * step - update[i];
  }
}

}  // namespace surety::learn
