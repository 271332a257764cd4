#include "model/layout.h"

#include <utility>

#include "base/check.h"

namespace surety::model {
namespace {

class LayoutBuilder {
 public:
  void add(std::size_t layer, std::string name, TensorRole role, std::vector<std::int64_t> shape) {
    std::uint64_t size = 1;
    for (const std::int64_t side : shape) size *= static_cast<std::uint64_t>(side);
    layout.tensors.push_back({std::move(name), static_cast<std::uint32_t>(layer), role,
                              std::move(shape), layout.size, size});
    layout.size += size;
  }
  Layout layout;
};

void add_trainable(LayoutBuilder& builder, std::size_t index, const Layer& layer, std::int64_t in,
                   std::int64_t out) {
  const std::int64_t side = layer.kernel;
  const std::string weight = layer.name + ".weight";
  const std::string bias = layer.name + ".bias";
  switch (layer.kind) {
    case LayerKind::kLinear:
      builder.add(index, weight, TensorRole::kWeight, {out, in});
      break;
    case LayerKind::kConv:
      builder.add(index, weight, TensorRole::kWeight, {out, in, side, side});
      break;
    case LayerKind::kDepthwiseConv:
      builder.add(index, weight, TensorRole::kWeight, {out, 1, side, side});
      break;
    case LayerKind::kBatchNorm:
      builder.add(index, weight, TensorRole::kScale, {out});
      builder.add(index, bias, TensorRole::kShift, {out});
      return;
    default:
      return;
  }
  if (layer.bias) builder.add(index, bias, TensorRole::kBias, {out});
}

}  // namespace

Layout layout_of(const NetSpec& spec) {
  const std::vector<Shape> shapes = shapes_of(spec);
  LayoutBuilder builder;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    add_trainable(builder, i, spec.layers[i], input_shape(spec, shapes, i).channels,
                  shapes[i].channels);
  }
  builder.layout.trainable = builder.layout.size;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (spec.layers[i].kind != LayerKind::kBatchNorm) continue;
    const std::string& name = spec.layers[i].name;
    const std::int64_t channels = shapes[i].channels;
    builder.add(i, name + ".running_mean", TensorRole::kRunningMean, {channels});
    builder.add(i, name + ".running_var", TensorRole::kRunningVariance, {channels});
  }
  return std::move(builder.layout);
}

}  // namespace surety::model
