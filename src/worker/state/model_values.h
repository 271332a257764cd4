// A model as one vector, which workers send to a worker that joins.
#pragma once

#include <span>
#include <vector>

#include "learn/model.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// In this order: parameters, the full model that they were cut from, their average, and the
// velocity of the outer momentum, with the sizes that the transfer names. If the model lacks a part
// that the transfer names, as that of a recipient does, zeros take its place. A holder that has no
// average yet, as before the first iteration, sends its parameters as the average.
[[nodiscard]] std::vector<float> to_values(const proto::Transfer& transfer,
                                           const learn::Model& model);

// REQUIRES: `values` has the size of to_values().
// ENSURES: all workers of the transfer have the same model, including those that sent it.
[[nodiscard]] learn::Model from_values(const proto::Transfer& transfer,
                                       std::span<const float> values);

}  // namespace surety::worker
