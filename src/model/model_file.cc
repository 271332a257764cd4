#include "model/model_file.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "model/layout.h"
#include "model/safetensors.h"

namespace surety::model {
namespace {

std::vector<std::uint64_t> shape_of(const TensorSlot& slot) {
  return {slot.shape.begin(), slot.shape.end()};
}

Result<void> copy_tensor(const Safetensors& file, const TensorSlot& slot, std::span<float> to) {
  SURETY_TRY(const std::vector<float> values, floats_of(file, slot.name));
  const std::vector<std::uint64_t>& shape = file.tensors.at(slot.name).shape;
  if (shape != shape_of(slot)) {
    return fail(ErrorCode::kInvalidInput, "tensor '{}': found shape [{}], expected [{}]", slot.name,
                fmt::join(shape, ", "), fmt::join(slot.shape, ", "));
  }
  std::ranges::copy(values, to.begin());
  return {};
}

}  // namespace

std::vector<std::byte> write_model(const NetSpec& spec, std::span<const float> parameters,
                                   std::map<std::string, std::string> metadata) {
  const Layout layout = layout_of(spec);
  SURETY_CHECK(parameters.size() == layout.size);
  Safetensors file{.tensors = {}, .metadata = std::move(metadata)};
  file.metadata["network"] = spec.name;
  for (const TensorSlot& slot : layout.tensors) {
    file.tensors[slot.name] = view_of(parameters.subspan(slot.offset, slot.size), shape_of(slot));
  }
  seal(file);
  return write_safetensors(file);
}

Result<std::vector<float>> read_model(std::string_view name, std::span<const std::byte> bytes,
                                      const NetSpec& spec) {
  SURETY_TRY(const Safetensors file, read_safetensors(name, bytes));
  const Layout layout = layout_of(spec);
  std::vector<float> parameters(layout.size);
  for (const TensorSlot& slot : layout.tensors) {
    const Result<void> copied =
        copy_tensor(file, slot, std::span(parameters).subspan(slot.offset, slot.size));
    if (!copied) return fail_in(copied.error(), "{}: network {}", name, spec.name);
  }
  return parameters;
}

}  // namespace surety::model
