// Linear models as files: our safetensors file, which Python can read too, or LIBLINEAR's text.
//
// The safetensors file has one tensor "weight" (one float for each feature). Its metadata contain
// the `network` (logistic, svm, ..., see model::is_linear()) and, for a classifier, its `labels`,
// "1 -1" or "1 0".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/linear/model/linear_model.h"

namespace surety::learn {

// `parameters` are the weights of a model of the zoo; `negative_label` as in liblinear_model.h.
[[nodiscard]] std::vector<std::byte> to_safetensors(std::string_view model,
                                                    const std::vector<float>& parameters,
                                                    int negative_label);

// Reads either kind of file, told apart by content. InvalidInput or Corrupt, with file, found and
// expected, for anything else, including networks.
[[nodiscard]] Result<LinearModel> read_linear_model(std::string_view file, std::string_view bytes);

}  // namespace surety::learn
