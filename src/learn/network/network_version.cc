#include "learn/network/network_version.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/check.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/version.h"

namespace surety::learn {
namespace {

Result<void> expect_size(const char* what, std::size_t found, std::size_t expected) {
  if (found == expected) return {};
  return fail(ErrorCode::kInvalidInput, "{}: {} values, expected {}", what, found, expected);
}

// The channels that a pruned model has. REQUIRES: check_network_model(full, model); a pruned
// version.
model::ChannelMap map_of(const model::NetSpec& full, const Model& model,
                         const model::Version& version) {
  return model::prune(full, model.parent, version.pruned).map;
}

// The full parameters of a pruned model: `values` in its own channels, and in the removed ones the
// values at the time of the cut.
std::vector<float> grown(const model::ChannelMap& map, const Model& model,
                         std::span<const float> values) {
  std::vector<float> all = model.parent;
  model::grow(map, values, all);
  return all;
}

// How the parameters of a model, and their average if there is one, are converted.
using Mapping = std::function<std::vector<float>(std::span<const float>)>;

void map_values(const Model& from, const Mapping& mapping, Model& to) {
  to.parameters = mapping(from.parameters);
  if (!from.average.empty()) to.average = mapping(from.average);
}

// A version with more channels than before; the scores do not change.
Model fuller(const model::NetSpec& full, const Model& model, const model::Version& from,
             const model::Version& to) {
  const model::ChannelMap before = map_of(full, model, from);
  const auto all_of = [&](std::span<const float> values) {
    std::vector<float> all = grown(before, model, values);
    model::disconnect_removed(full, before, all);
    return all;
  };
  Model result{.version = model::to_text(to), .parameters = {}, .parent = {}, .velocity = {}};
  if (to.full()) {
    map_values(model, all_of, result);
    return result;
  }
  // The ranking is the same, so the channels that were kept before are kept again.
  const model::ChannelMap after = map_of(full, model, to);
  map_values(
      model, [&](std::span<const float> values) { return model::shrink(after, all_of(values)); },
      result);
  result.parent = model.parent;
  return result;
}

// A version with fewer channels, cut from the model that is evaluated and kept. `whole` is full.
Model smaller(const model::NetSpec& full, const Model& whole, const model::Version& to) {
  Model result{
      .version = model::to_text(to), .parameters = {}, .parent = whole.kept(), .velocity = {}};
  result.parameters = model::shrink(map_of(full, result, to), result.parent);
  if (!whole.average.empty()) result.average = result.parameters;
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
  if (!model.average.empty()) {
    SURETY_TRY(expect_size("the average", model.average.size(), model.parameters.size()));
  }
  const std::size_t parent_size = model::is_full(model.version) ? 0 : model::layout_of(full).size;
  return expect_size("the full model that it was pruned from", model.parent.size(), parent_size);
}

Result<Model> switch_network_version(const model::NetSpec& full, const Model& model,
                                     const std::string& version) {
  SURETY_TRY(check_network_model(full, model));
  SURETY_TRY(const model::Version from, model::parse_version(model.version));
  SURETY_TRY(const model::Version to, model::parse_version(version));
  if (from == to) {
    Model same = model;
    same.version = model::to_text(to);
    same.velocity.clear();
    return same;
  }
  if (to.pruned < from.pruned) return fuller(full, model, from, to);
  return smaller(full, from.full() ? model : fuller(full, model, from, {}), to);
}

bool is_unchanged_since_cut(const model::NetSpec& full, const Model& model) {
  if (model.parent.empty()) return false;
  const Result<model::NetSpec> spec = spec_of_version(full, model.version);
  SURETY_CHECK(spec.has_value());
  const model::Layout ours = model::layout_of(*spec);
  const model::Layout all = model::layout_of(full);
  // Every version has all scores. So if the classifier has a bias, it is the last trainable value
  // of each version, and the first step of learning changes it.
  const model::TensorSlot& last = *std::ranges::find_if(
      all.tensors.rbegin(), all.tensors.rend(),
      [&](const model::TensorSlot& slot) { return slot.offset < all.trainable; });
  if (last.layer + 1 == full.layers.size() &&
      model.parameters[ours.trainable - 1] != model.parent[all.trainable - 1]) {
    return false;
  }
  return model::shrink(channels_of(full, model), model.parent) == model.parameters;
}

model::ChannelMap channels_of(const model::NetSpec& full, const Model& model) {
  return map_of(full, model, *model::parse_version(model.version));
}

}  // namespace surety::learn
