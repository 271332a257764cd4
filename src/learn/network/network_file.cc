#include "learn/network/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "data/text.h"
#include "learn/network/network_version.h"
#include "model/feature_names.h"
#include "model/layout.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "model/zoo.h"

namespace surety::learn {
namespace {

constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kNumbers = "numbers";
constexpr std::string_view kAveraged = "averaged";

std::string text_of(std::uint32_t channels, std::uint32_t height, std::uint32_t width) {
  return fmt::format("{}x{}x{}", channels, height, width);
}

// The text of the metadata under `key`.
Result<std::string> text_under(const model::Safetensors& read, const std::string& key,
                               std::string_view expected, std::string_view file) {
  const auto found = read.metadata.find(key);
  if (found != read.metadata.end()) return found->second;
  return fail(ErrorCode::kInvalidInput,
              "{}: found no {} in its metadata, expected {}: the tensors alone do not determine "
              "how this network is computed. Train it again: every run now writes these metadata. "
              "PyTorch can load the file with load_state_dict()",
              file, key, expected);
}

bool parse_shape(std::string_view text, model::Input& input) {
  std::uint32_t* const fields[] = {&input.channels, &input.height, &input.width};
  for (std::uint32_t* const field : fields) {
    const std::size_t end = field == &input.width ? text.size() : text.find('x');
    std::uint64_t value = 0;
    if (end == text.npos || !data::parse_uint(text.substr(0, end), value)) return false;
    if (value == 0 || value > UINT32_MAX) return false;
    *field = static_cast<std::uint32_t>(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Result<model::Input> input_of(const model::Safetensors& read, std::string_view file) {
  constexpr std::string_view kShape = "CHANNELSxHEIGHTxWIDTH";
  constexpr std::string_view kClasses = "the number of classes";
  SURETY_TRY(const std::string shape, text_under(read, "input", kShape, file));
  SURETY_TRY(const std::string classes, text_under(read, "classes", kClasses, file));
  model::Input input;
  if (!parse_shape(shape, input)) {
    return fail(ErrorCode::kInvalidInput, "{}: input: found {}, expected {}", file,
                data::quoted(shape), kShape);
  }
  std::uint64_t count = 0;
  if (!data::parse_uint(classes, count) || count < 2 || count > UINT32_MAX) {
    return fail(ErrorCode::kInvalidInput, "{}: classes: found {}, expected at least 2", file,
                data::quoted(classes));
  }
  input.classes = static_cast<std::uint32_t>(count);
  return input;
}

}  // namespace

std::vector<std::byte> write_network(const TrainedNetwork& network) {
  const model::Input& input = network.spec.input;
  std::map<std::string, std::string> metadata{
      {"version", network.version},
      {"input", text_of(input.channels, input.height, input.width)},
      {"classes", std::to_string(input.classes)},
      {"values", std::string(network.reads_bytes ? kBytes : kNumbers)}};
  if (network.averaged) metadata["weights"] = kAveraged;
  model::add_feature_names(network.feature_names, metadata);
  return model::write_model(network.spec, network.parameters, std::move(metadata));
}

bool is_network_file(std::string_view bytes) {
  const auto read = model::read_safetensors("", std::as_bytes(std::span(bytes)));
  if (!read) return false;
  const auto network = read->metadata.find("network");
  return network != read->metadata.end() && !model::is_linear(network->second);
}

Result<TrainedNetwork> read_network(std::string_view file, std::string_view bytes) {
  const auto raw = std::as_bytes(std::span(bytes));
  SURETY_TRY(const model::Safetensors read, model::read_safetensors(file, raw));
  SURETY_TRY(const std::string name, text_under(read, "network", "the name of a network", file));
  TrainedNetwork network;
  SURETY_TRY(network.version, text_under(read, "version", "full or prune:F", file));
  SURETY_TRY(const model::Input input, input_of(read, file));
  SURETY_TRY(const std::string values, text_under(read, "values", "bytes or numbers", file));
  if (values != kBytes && values != kNumbers) {
    return fail(ErrorCode::kInvalidInput, "{}: values: found {}, expected {} or {}", file,
                data::quoted(values), kBytes, kNumbers);
  }
  network.reads_bytes = values == kBytes;
  if (const auto weights = read.metadata.find("weights"); weights != read.metadata.end()) {
    if (weights->second != kAveraged) {
      return fail(ErrorCode::kInvalidInput, "{}: weights: found {}, expected {} or none", file,
                  data::quoted(weights->second), kAveraged);
    }
    network.averaged = true;
  }
  const auto full = model::zoo(name, input);
  if (!full) return fail_in(full.error(), "{}", file);
  auto spec = spec_of_version(*full, network.version);
  if (!spec) return fail_in(spec.error(), "{}", file);
  network.spec = std::move(*spec);
  // Checked before this many parameters are allocated.
  const std::uint64_t needed = sizeof(float) * model::layout_of(network.spec).size;
  if (bytes.size() < needed) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found {} bytes, expected at least {} for {} of {} samples and {} classes",
                file, bytes.size(), needed, name, read.metadata.at("input"), input.classes);
  }
  SURETY_TRY(network.feature_names, model::feature_names_of(read, file, input.features()));
  SURETY_TRY(network.parameters, model::read_model(file, raw, network.spec));
  const auto bad = std::ranges::find_if_not(network.parameters,
                                            [](float value) { return std::isfinite(value); });
  if (bad == network.parameters.end()) return network;
  return fail(
      ErrorCode::kInvalidInput,
      "{}: found a weight of {}, expected finite numbers: the network cannot predict; train "
      "it again, or use another file",
      file, *bad);
}

Result<void> check_input(const TrainedNetwork& network, const data::Schema& schema) {
  const model::Input& input = network.spec.input;
  const bool has_bytes = schema.layout == data::Layout::kDenseU8;
  if (has_bytes != network.reads_bytes) {
    const auto kind = [](bool bytes) { return bytes ? "images of bytes" : "tables of numbers"; };
    return fail(ErrorCode::kInvalidInput, "found {}, expected {}: the model was trained on these",
                kind(has_bytes), kind(network.reads_bytes));
  }
  // Sparse rows have as many features as their largest index says; features that the network does
  // not know have weight zero.
  if (schema.layout == data::Layout::kSparse) return {};
  const bool same = has_bytes ? schema.channels == input.channels &&
                                    schema.height == input.height && schema.width == input.width
                              : schema.features == input.features();
  if (same) return {};
  return fail(ErrorCode::kInvalidInput,
              "found samples of {} (channels x height x width), expected {}, as in the model",
              text_of(schema.channels, schema.height, schema.width),
              text_of(input.channels, input.height, input.width));
}

}  // namespace surety::learn
