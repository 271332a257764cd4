// A model as one vector: how workers hand theirs to one that joins.
#pragma once

#include <span>
#include <vector>

#include "learn/model.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// Behind one another: parameters, the full model that they were cut from, their average, and the
// velocity of the outer momentum, of the sizes that the transfer names; 0 where the model has less,
// as a receiver's. A holder without an average, as before the first iteration, sends its parameters
// as that.
[[nodiscard]] std::vector<float> to_values(const proto::Transfer& transfer,
                                           const learn::Model& model);

// REQUIRES: values of the size of to_values().
// ENSURES: whoever took part in the transfer has the same model, those included that sent it.
[[nodiscard]] learn::Model from_values(const proto::Transfer& transfer,
                                       std::span<const float> values);

}  // namespace surety::worker
