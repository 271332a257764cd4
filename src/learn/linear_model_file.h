// Linear models as files: our safetensors, which Python reads too, or LIBLINEAR's text.
//
// The safetensors file has one tensor "weight" (one float a feature) and says in its metadata which
// `network` it is (logistic, svm, ..., as model::is_linear() knows) and, for a classifier, its
// `labels`, "1 -1" or "1 0".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/linear_model.h"

namespace surety::learn {

// `parameters` are the weights of the zoo's model; `negative_label` as in liblinear_model.h.
[[nodiscard]] std::vector<std::byte> to_safetensors(std::string_view model,
                                                    const std::vector<float>& parameters,
                                                    int negative_label);

// Either kind of file, told apart by its content. InvalidInput or Corrupt, with file, found and
// expected, for anything else, a network among it.
[[nodiscard]] Result<LinearModel> read_linear_model(std::string_view file, std::string_view bytes);

}  // namespace surety::learn
