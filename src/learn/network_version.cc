#include "learn/network_version.h"

#include <utility>

#include "model/layout.h"
#include "model/prune.h"
#include "model/version.h"

namespace surety::learn {
namespace {

Result<void> expect_size(const char* what, std::size_t found, std::size_t expected) {
  if (found == expected) return {};
  return fail(ErrorCode::kInvalidInput, "{}: {} values, expected {}", what, found, expected);
}

// REQUIRES: check_network_model(full, model).
std::vector<float> full_parameters(const model::NetSpec& full, const Model& model,
                                   const model::Version& version) {
  if (version.full()) return model.parameters;
  const model::Pruned cut = model::prune(full, model.parent, version.pruned);
  std::vector<float> parameters = model.parent;
  model::grow(cut.map, model.parameters, parameters);
  return parameters;
}

}  // namespace

Result<model::NetSpec> spec_of_version(const model::NetSpec& full, const std::string& version) {
  SURETY_TRY(const model::Version parsed, model::parse_version(version));
  return parsed.full() ? full : model::pruned_spec(full, parsed.pruned);
}

Result<void> check_network_model(const model::NetSpec& full, const Model& model) {
  SURETY_TRY(const model::NetSpec spec, spec_of_version(full, model.version));
  SURETY_TRY(
      expect_size(model.version.c_str(), model.parameters.size(), model::layout_of(spec).size));
  const std::size_t parent_size = model.version == "full" ? 0 : model::layout_of(full).size;
  return expect_size("the full model behind it", model.parent.size(), parent_size);
}

Result<Model> switch_network_version(const model::NetSpec& full, const Model& model,
                                     const std::string& version) {
  SURETY_TRY(check_network_model(full, model));
  SURETY_TRY(const model::Version from, model::parse_version(model.version));
  SURETY_TRY(const model::Version to, model::parse_version(version));
  Model result{.version = model::to_text(to), .parameters = {}, .parent = {}, .velocity = {}};
  if (from == to) {
    result.parameters = model.parameters;
    result.parent = model.parent;
    return result;
  }
  result.parameters = full_parameters(full, model, from);
  if (to.full()) return result;
  model::Pruned cut = model::prune(full, result.parameters, to.pruned);
  result.parent = std::exchange(result.parameters, std::move(cut.parameters));
  return result;
}

}  // namespace surety::learn
