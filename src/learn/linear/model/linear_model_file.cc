#include "learn/linear/model/linear_model_file.h"

#include <algorithm>
#include <cmath>

#include "data/text.h"
#include "learn/linear/model/liblinear_model.h"
#include "learn/task.h"
#include "model/feature_names.h"
#include "model/safetensors.h"
#include "model/zoo.h"

namespace surety::learn {
namespace {

// A safetensors file begins with 8 bytes that hold the length of its JSON header, which follows.
bool looks_like_safetensors(std::string_view bytes) { return bytes.size() > 8 && bytes[8] == '{'; }

bool looks_like_liblinear(std::string_view bytes) {
  constexpr std::string_view kFirstKeys[] = {"solver_type", "nr_class", "label", "nr_feature",
                                             "bias"};
  for (const std::string_view key : kFirstKeys) {
    if (bytes.starts_with(key)) return true;
  }
  return false;
}

Result<LinearModel> from_safetensors(std::string_view file, std::string_view bytes) {
  SURETY_TRY(const model::Safetensors read,
             model::read_safetensors(file, std::as_bytes(std::span(bytes))));
  const auto network = read.metadata.find("network");
  if (network == read.metadata.end()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no network in its metadata, expected logistic, svm, lenet5, ...; the "
                "finished model of a run is RUN/model.safetensors",
                file);
  }
  if (!model::is_linear(network->second)) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: found the network {}, expected a linear model (logistic, svm, ridge, lasso, ...)",
        file, data::quoted(network->second));
  }
  auto weights = model::floats_of(read, "weight");
  if (!weights) return fail_in(weights.error(), "{}", file);
  const auto labels = read.metadata.find("labels");
  const int negative = labels != read.metadata.end() && labels->second == "1 0" ? 0 : -1;
  if (weights->empty()) {
    return fail(ErrorCode::kInvalidInput, "{}: found no weights, expected one for each feature",
                file);
  }
  const auto bad = std::ranges::find_if_not(*weights, [](float w) { return std::isfinite(w); });
  if (bad != weights->end()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found the weight {} of feature {}, expected finite numbers: the model cannot "
                "predict; train it again, or use another file",
                file, *bad, bad - weights->begin() + 1);
  }
  auto model = linear_model(network->second, *weights, negative);
  if (model) {
    SURETY_TRY(model->feature_names, model::feature_names_of(read, file, model->features));
    return std::move(*model);
  }
  return fail(ErrorCode::kInvalidInput, "{}: found the model {}, expected a linear model", file,
              data::quoted(network->second));
}

}  // namespace

std::vector<std::byte> to_safetensors(std::string_view model, const std::vector<float>& parameters,
                                      int negative_label,
                                      const std::vector<std::string>& feature_names) {
  model::Safetensors file;
  file.tensors["weight"] = model::view_of(parameters, {parameters.size()});
  file.metadata["network"] = std::string(model);
  if (!model::is_regression(model)) file.metadata["labels"] = negative_label == 0 ? "1 0" : "1 -1";
  model::add_feature_names(feature_names, file.metadata);
  model::seal(file);
  return model::write_safetensors(file);
}

Result<LinearModel> read_linear_model(std::string_view file, std::string_view bytes) {
  if (looks_like_safetensors(bytes)) return from_safetensors(file, bytes);
  if (looks_like_liblinear(bytes)) return parse_liblinear_model(file, bytes);
  const std::size_t line_end = std::min<std::size_t>(bytes.find('\n'), 40);
  return fail(
      ErrorCode::kInvalidInput,
      "{}: found {}, expected a model: the folder of a run, its model.safetensors (of a "
      "linear model or a network), or a LIBLINEAR model file, which begins with solver_type",
      file, bytes.empty() ? "an empty file" : data::quoted(bytes.substr(0, line_end)));
}

}  // namespace surety::learn
