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

// All channels of a pruned model: its own, and the removed ones as they were when cut.
struct Grown {
  model::ChannelMap map;
  std::vector<float> parameters;
};

// REQUIRES: check_network_model(full, model); a pruned version.
Grown grown(const model::NetSpec& full, const Model& model, const model::Version& version) {
  Grown out{model::prune(full, model.parent, version.pruned).map, model.parent};
  model::grow(out.map, model.parameters, out.parameters);
  return out;
}

// With more channels than before; the scores stay.
Model fuller(const model::NetSpec& full, const Model& model, const model::Version& from,
             const model::Version& to) {
  Grown all = grown(full, model, from);
  model::disconnect_removed(full, all.map, all.parameters);
  Model result{.version = model::to_text(to), .parameters = {}, .parent = {}, .velocity = {}};
  if (to.full()) {
    result.parameters = std::move(all.parameters);
    return result;
  }
  // The same ranking: what stayed before stays.
  result.parameters =
      model::shrink(model::prune(full, model.parent, to.pruned).map, all.parameters);
  result.parent = model.parent;
  return result;
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
  if (to.pruned < from.pruned) return fuller(full, model, from, to);
  result.parent = from.full() ? model.parameters : grown(full, model, from).parameters;
  result.parameters = model::prune(full, result.parent, to.pruned).parameters;
  return result;
}

}  // namespace surety::learn
