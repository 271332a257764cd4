#include "worker/state/model_values.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace surety::worker {

std::vector<float> to_values(const proto::Transfer& transfer, const learn::Model& model) {
  std::vector<float> values;
  values.reserve(transfer.parameters() + transfer.parent() + transfer.average() +
                 transfer.velocity());
  const auto append = [&](const std::vector<float>& part, std::uint64_t size) {
    // A part that the transfer leaves out has size 0: for a model without an average, kept() gives
    // the parameters.
    const std::size_t end = values.size() + size;
    values.insert(values.end(), part.begin(), part.end());
    values.resize(end);
  };
  append(model.parameters, transfer.parameters());
  append(model.parent, transfer.parent());
  append(model.kept(), transfer.average());
  append(model.velocity, transfer.velocity());
  return values;
}

learn::Model from_values(const proto::Transfer& transfer, std::span<const float> values) {
  const auto take = [&](std::uint64_t size) {
    SURETY_CHECK(size <= values.size());
    const std::vector<float> part(values.begin(),
                                  values.begin() + static_cast<std::ptrdiff_t>(size));
    values = values.subspan(size);
    return part;
  };
  learn::Model model;
  model.version = transfer.version();
  model.parameters = take(transfer.parameters());
  model.parent = take(transfer.parent());
  model.average = take(transfer.average());
  model.velocity = take(transfer.velocity());
  SURETY_CHECK(values.empty());
  return model;
}

}  // namespace surety::worker
