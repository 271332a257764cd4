#include "model/net_spec.h"

#include <set>
#include <utility>

#include "base/check.h"

namespace surety::model {
namespace {

constexpr std::uint64_t kValuesMax = 1ull
                                     // Values of one output or one weight: indices fit into 32
                                     // bits.
                                     << 31;
// Limit of kernel, stride and padding: products fit into 64 bits.
constexpr std::uint32_t kSideMax = 1u << 16;

bool is_window(LayerKind kind) {
  return kind == LayerKind::kConv || kind == LayerKind::kDepthwiseConv ||
         kind == LayerKind::kMaxPool || kind == LayerKind::kAvgPool;
}

// The output side of a window that slides over `side`; positions at the end at which the window
// does not fit are omitted.
Result<std::uint32_t> slide(const Layer& layer, std::uint32_t side) {
  const std::uint64_t padded = std::uint64_t{side} + 2ull * layer.padding;
  if (padded < layer.kernel) {
    return fail(ErrorCode::kInvalidInput, "a window of {} does not fit into {} with padding {}",
                layer.kernel, side, layer.padding);
  }
  return static_cast<std::uint32_t>((padded - layer.kernel) / layer.stride + 1);
}

Result<Shape> window_shape(const Layer& layer, const Shape& in) {
  if (in.flat) return fail(ErrorCode::kInvalidInput, "found flat values, expected an image");
  const bool pool = layer.kind == LayerKind::kMaxPool || layer.kind == LayerKind::kAvgPool;
  if (layer.kernel < 1 || layer.stride < 1 || layer.kernel > kSideMax || layer.stride > kSideMax ||
      layer.padding > kSideMax || (pool && layer.padding > layer.kernel / 2)) {
    return fail(ErrorCode::kInvalidInput, "kernel {}, stride {}, padding {} are not a valid window",
                layer.kernel, layer.stride, layer.padding);
  }
  Shape out = in;
  SURETY_TRY(out.height, slide(layer, in.height));
  SURETY_TRY(out.width, slide(layer, in.width));
  if (layer.kind == LayerKind::kConv) out.channels = layer.out;
  return out;
}

Result<Shape> linear_shape(const Layer& layer, const Shape& in) {
  if (!in.flat) return fail(ErrorCode::kInvalidInput, "found an image, expected flat values");
  return Shape{.channels = layer.out, .flat = true};
}

Result<Shape> flat_shape(const Layer&, const Shape& in) {
  return Shape{.channels = static_cast<std::uint32_t>(in.size()), .flat = true};
}

Result<Shape> pooled_shape(const Layer&, const Shape& in) {
  if (in.flat) return fail(ErrorCode::kInvalidInput, "found flat values, expected an image");
  return Shape{.channels = in.channels};
}

Result<Shape> dropout_shape(const Layer& layer, const Shape& in) {
  if (!(layer.rate >= 0 && layer.rate < 1)) {
    return fail(ErrorCode::kInvalidInput, "found rate {}, expected one in [0, 1)", layer.rate);
  }
  return in;
}

Result<Shape> layer_shape(const Layer& layer, const Shape& in) {
  if (is_window(layer.kind)) return window_shape(layer, in);
  switch (layer.kind) {
    case LayerKind::kLinear:
      return linear_shape(layer, in);
    case LayerKind::kFlatten:
      return flat_shape(layer, in);
    case LayerKind::kGlobalAvgPool:
      return pooled_shape(layer, in);
    case LayerKind::kDropout:
      return dropout_shape(layer, in);
    default:
      return in;
  }
}

// Number of values of the layer's largest tensor, or 0 if it has none.
std::uint64_t weight_size(const Layer& layer, const Shape& in) {
  const std::uint64_t window = std::uint64_t{layer.kernel} * layer.kernel;
  switch (layer.kind) {
    case LayerKind::kLinear:
      return std::uint64_t{layer.out} * in.channels;
    case LayerKind::kConv:
      return std::uint64_t{layer.out} * in.channels > kValuesMax
                 ? kValuesMax + 1
                 : std::uint64_t{layer.out} * in.channels * window;
    case LayerKind::kDepthwiseConv:
      return in.channels * window;
    default:
      return 0;
  }
}

bool too_large(const Shape& shape) {
  return std::uint64_t{shape.height} * shape.width > kValuesMax || shape.size() > kValuesMax;
}

Result<Shape> checked_shape(const NetSpec& spec, const std::vector<Shape>& shapes,
                            std::size_t index) {
  const Layer& layer = spec.layers[index];
  const auto exists = [&](std::int32_t input) {
    return input >= kNetworkInput && input < static_cast<std::int32_t>(index);
  };
  if (!exists(layer.input) || (layer.kind == LayerKind::kAdd && !exists(layer.other))) {
    return fail(ErrorCode::kInvalidInput, "reads a layer that is not before it");
  }
  const Shape in = input_shape(spec, shapes, index);
  if (layer.kind == LayerKind::kAdd) {
    const Shape other = layer.other == kNetworkInput
                            ? Shape{spec.input.channels, spec.input.height, spec.input.width, false}
                            : shapes[static_cast<std::size_t>(layer.other)];
    if (other != in) return fail(ErrorCode::kInvalidInput, "adds outputs of different shapes");
  }
  SURETY_TRY(const Shape out, layer_shape(layer, in));
  if (out.channels == 0) return fail(ErrorCode::kInvalidInput, "has no output channel");
  if (too_large(out) || weight_size(layer, in) > kValuesMax) {
    return fail(ErrorCode::kInvalidInput, "is larger than {} values", kValuesMax);
  }
  return out;
}

Result<void> check_input(const NetSpec& spec) {
  const Input& input = spec.input;
  const Shape shape{input.channels, input.height, input.width, false};
  if (input.channels < 1 || input.height < 1 || input.width < 1 || too_large(shape)) {
    return fail(ErrorCode::kInvalidInput, "{}: an input of {} x {} x {} is not a valid image",
                spec.name, input.channels, input.height, input.width);
  }
  if (spec.layers.empty())
    return fail(ErrorCode::kInvalidInput, "{}: found no layers, expected at least one", spec.name);
  return {};
}

}  // namespace

Shape input_shape(const NetSpec& spec, const std::vector<Shape>& shapes, std::size_t layer) {
  const std::int32_t input = spec.layers[layer].input;
  if (input == kNetworkInput) {
    return {spec.input.channels, spec.input.height, spec.input.width, false};
  }
  return shapes[static_cast<std::size_t>(input)];
}

Result<std::vector<Shape>> output_shapes(const NetSpec& spec) {
  SURETY_TRY(check_input(spec));
  std::vector<Shape> shapes;
  std::set<std::string> names;
  std::uint64_t weights = 0;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const std::string& name = spec.layers[i].name;
    if (!names.insert(name).second) {
      return fail(ErrorCode::kInvalidInput, "{}: two layers have the name {}", spec.name, name);
    }
    const Result<Shape> shape = checked_shape(spec, shapes, i);
    if (!shape) return fail_in(shape.error(), "{}: layer {} ({})", spec.name, i, name);
    shapes.push_back(*shape);
    weights += weight_size(spec.layers[i], input_shape(spec, shapes, i)) + 4ull * shape->channels;
    if (weights > kValuesMax) {
      return fail(ErrorCode::kInvalidInput, "{}: more than {} parameters", spec.name, kValuesMax);
    }
  }
  if (!shapes.back().flat || shapes.back().channels != spec.input.classes) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} x {} x {} outputs, expected {} flat scores",
                spec.name, shapes.back().channels, shapes.back().height, shapes.back().width,
                spec.input.classes);
  }
  return shapes;
}

std::vector<Shape> shapes_of(const NetSpec& spec) {
  Result<std::vector<Shape>> shapes = output_shapes(spec);
  SURETY_CHECK(shapes.has_value());
  return *std::move(shapes);
}

std::uint64_t multiply_adds(const NetSpec& spec) {
  const std::vector<Shape> shapes = shapes_of(spec);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::uint64_t positions = std::uint64_t{shapes[i].height} * shapes[i].width;
    sum += weight_size(spec.layers[i], input_shape(spec, shapes, i)) * positions;
  }
  return sum;
}

}  // namespace surety::model
