// The parameters that training starts from.
//
// Weights: zero mean, variance 2 / fan_in (He 2015), the classifier's 1 / fan_in; biases 0;
// batch norm: gamma 1, beta 0, running mean 0, running variance 1.
//
// A draw is the sum of twelve 16-bit uniforms (Irwin-Hall: variance 1, cut at 6 sigma; 0.20 % lie
// beyond 3 sigma, of a normal 0.27 %), in integers until the last multiplication: the same bytes on
// every machine, which log and cos of different C libraries do not promise.
#pragma once

#include <cstdint>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

// In the order of layout_of(spec). REQUIRES: a valid spec. O(size), about 10 ns a value.
[[nodiscard]] std::vector<float> initial_parameters(const NetSpec& spec, std::uint64_t seed);

}  // namespace surety::model
