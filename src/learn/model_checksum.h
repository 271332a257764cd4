// A model as one number, by which processes compare their models.
#pragma once

#include <cstdint>

#include "learn/model.h"

namespace surety::learn {

// Checksum of parameters, parent, velocity and average. O(values).
[[nodiscard]] std::uint64_t model_checksum(const Model& model);

}  // namespace surety::learn
