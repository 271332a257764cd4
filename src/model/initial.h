// The parameters at the start of training.
//
// Weights have zero mean and variance 2 / fan_in (He 2015), those of the classifier 1 / fan_in.
// Biases are 0. Batch norm: gamma 1, beta 0, running mean 0, running variance 1.
//
// A draw is the sum of twelve 16-bit uniforms (Irwin-Hall: variance 1, cut at 6 sigma; 0.20 % are
// beyond 3 sigma, compared with 0.27 % for a normal). It is computed in integers until the last
// multiplication, so it gives the same bytes on every machine; log and cos of different C libraries
// do not guarantee that.
#pragma once

#include <cstdint>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

// Values in the order of layout_of(spec). REQUIRES: a valid spec. O(size), about 10 ns for each
// value.
[[nodiscard]] std::vector<float> initial_parameters(const NetSpec& spec, std::uint64_t seed);

}  // namespace surety::model
