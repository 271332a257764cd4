// Linear models as files: Surety's safetensors file, which Python can read too, or LIBLINEAR's
// text.
//
// The safetensors file has one tensor "weight" (one float for each feature). Its metadata contain
// the `network` (logistic, svm, ..., see model::is_linear()), for a classifier its `labels`, "1 -1"
// or "1 0", and the `feature_names` if they are known (model/feature_names.h). LIBLINEAR's text has
// no place for names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/linear/model/linear_model.h"

namespace surety::learn {

// `parameters` are the weights of a model of the zoo; `negative_label` as in liblinear_model.h;
// `feature_names` as in LinearModel.
[[nodiscard]] std::vector<std::byte> to_safetensors(
    std::string_view model, const std::vector<float>& parameters, int negative_label,
    const std::vector<std::string>& feature_names = {});

// Reads a file of either kind, which its content shows. InvalidInput or Corrupt, with file, found
// and expected, for all other files, including networks and models with weights that are not finite
// numbers.
[[nodiscard]] Result<LinearModel> read_linear_model(std::string_view file, std::string_view bytes);

}  // namespace surety::learn
