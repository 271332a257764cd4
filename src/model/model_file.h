// A network's parameters as safetensors: one tensor for each slot of its layout, with PyTorch's
// names, so that a Python program can load them with load_state_dict.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/net_spec.h"

namespace surety::model {

// Writes `metadata` too, and adds "network": spec.name to it.
// REQUIRES: a valid spec; parameters in its layout.
[[nodiscard]] std::vector<std::byte> write_model(const NetSpec& spec,
                                                 std::span<const float> parameters,
                                                 std::map<std::string, std::string> metadata);

// The flat parameters of `spec`. Errors: those of read_safetensors(), and InvalidInput if a tensor
// is missing or has another shape (the message names it, with found and expected). Tensors that the
// spec does not have are ignored.
[[nodiscard]] Result<std::vector<float>> read_model(std::string_view name,
                                                    std::span<const std::byte> bytes,
                                                    const NetSpec& spec);

}  // namespace surety::model
