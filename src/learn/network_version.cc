#include "learn/network_version.h"

#include <functional>
#include <span>
#include <vector>

#include "model/layout.h"
#include "model/prune.h"
#include "model/version.h"

namespace surety::learn {
namespace {

Result<void> expect_size(const char* what, std::size_t found, std::size_t expected) {
  if (found == expected) return {};
  return fail(ErrorCode::kInvalidInput, "{}: {} values, expected {}", what, found, expected);
}

// Which channels a pruned model has. REQUIRES: check_network_model(full, model); a pruned version.
model::ChannelMap map_of(const model::NetSpec& full, const Model& model,
                         const model::Version& version) {
  return model::prune(full, model.parent, version.pruned).map;
}

// All channels of a pruned model: `values` for its own, and the removed ones as they were when cut.
std::vector<float> grown(const model::ChannelMap& map, const Model& model,
                         std::span<const float> values) {
  std::vector<float> all = model.parent;
  model::grow(map, values, all);
  return all;
}

// What becomes of a model's parameters, and of their average if there is one.
using Mapping = std::function<std::vector<float>(std::span<const float>)>;

void map_values(const Model& from, const Mapping& mapping, Model& to) {
  to.parameters = mapping(from.parameters);
  if (!from.average.empty()) to.average = mapping(from.average);
}

// With more channels than before; the scores stay.
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
  // The same ranking: what stayed before stays.
  const model::ChannelMap after = map_of(full, model, to);
  map_values(
      model, [&](std::span<const float> values) { return model::shrink(after, all_of(values)); },
      result);
  result.parent = model.parent;
  return result;
}

// With fewer channels than before. Which ones go is said by the parameters, for the average too.
Model smaller(const model::NetSpec& full, const Model& model, const model::Version& from,
              const model::Version& to) {
  Mapping all_of = [](std::span<const float> values) {
    return std::vector<float>(values.begin(), values.end());
  };
  if (!from.full()) {
    all_of = [&, map = map_of(full, model, from)](std::span<const float> values) {
      return grown(map, model, values);
    };
  }
  Model result{.version = model::to_text(to), .parameters = {}, .parent = {}, .velocity = {}};
  result.parent = all_of(model.parameters);
  const model::ChannelMap after = map_of(full, result, to);
  map_values(
      model, [&](std::span<const float> values) { return model::shrink(after, all_of(values)); },
      result);
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
  const std::size_t parent_size = model.version == "full" ? 0 : model::layout_of(full).size;
  return expect_size("the full model behind it", model.parent.size(), parent_size);
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
  return to.pruned < from.pruned ? fuller(full, model, from, to) : smaller(full, model, from, to);
}

}  // namespace surety::learn
