#include "model/zoo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"

namespace surety::model {
namespace {

struct Window {
  std::uint32_t kernel = 1;
  std::uint32_t stride = 1;
  std::uint32_t padding = 0;
};

// Appends layers. Each reads the last one, unless its input is given. Names have a number for each
// kind: conv1, conv2.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, const Input& input) { spec_ = {std::move(name), input, {}}; }

  std::int32_t last() const { return static_cast<std::int32_t>(spec_.layers.size()) - 1; }
  NetSpec take() { return std::move(spec_); }

  NetworkBuilder& add(LayerKind kind, std::string_view stem, Layer layer) {
    layer.kind = kind;
    if (layer.input == kNetworkInput) layer.input = last();
    const auto same = std::ranges::count(spec_.layers, kind, &Layer::kind);
    layer.name = fmt::format("{}{}", stem, same + 1);
    spec_.layers.push_back(std::move(layer));
    return *this;
  }
  NetworkBuilder& linear(std::uint32_t out) { return add(LayerKind::kLinear, "fc", {.out = out}); }
  NetworkBuilder& conv(std::uint32_t out, Window w, bool bias = true) {
    return add(
        LayerKind::kConv, "conv",
        {.out = out, .kernel = w.kernel, .stride = w.stride, .padding = w.padding, .bias = bias});
  }
  NetworkBuilder& relu() { return add(LayerKind::kRelu, "relu", {}); }
  NetworkBuilder& norm() { return add(LayerKind::kBatchNorm, "bn", {}); }
  NetworkBuilder& flatten() { return add(LayerKind::kFlatten, "flatten", {}); }
  NetworkBuilder& dropout(double rate) {
    return add(LayerKind::kDropout, "dropout", {.rate = rate});
  }
  NetworkBuilder& halve() { return add(LayerKind::kMaxPool, "pool", {.kernel = 2, .stride = 2}); }
  NetworkBuilder& average() { return add(LayerKind::kGlobalAvgPool, "average", {}).flatten(); }
  NetworkBuilder& conv_norm(std::uint32_t out, Window w) { return conv(out, w, false).norm(); }
  NetworkBuilder& depthwise_norm(Window w) {
    return add(LayerKind::kDepthwiseConv, "depthwise",
               {.kernel = w.kernel, .stride = w.stride, .padding = w.padding, .bias = false})
        .norm();
  }

 private:
  NetSpec spec_;
};

NetSpec mlp(const Input& input) {
  return NetworkBuilder("mlp", input)
      .flatten()
      .linear(256)
      .relu()
      .linear(128)
      .relu()
      .linear(input.classes)
      .take();
}

NetSpec lenet5(const Input& input) {
  const std::uint32_t padding = std::min(input.height, input.width) < 32 ? 2 : 0;
  NetworkBuilder net("lenet5", input);
  net.conv(6, {.kernel = 5, .padding = padding}).relu().halve();
  net.conv(16, {.kernel = 5}).relu().halve();
  net.flatten().linear(120).relu().linear(84).relu().linear(input.classes);
  return net.take();
}

NetSpec alexnet(const Input& input) {
  NetworkBuilder net("alexnet", input);
  net.conv(32, {.kernel = 3, .stride = 2, .padding = 1}).relu().halve();
  net.conv(96, {.kernel = 3, .padding = 1}).relu().halve();
  net.conv(192, {.kernel = 3, .padding = 1}).relu();
  net.conv(128, {.kernel = 3, .padding = 1}).relu();
  net.conv(128, {.kernel = 3, .padding = 1}).relu().halve();
  net.flatten().dropout(0.5).linear(1024).relu();
  net.dropout(0.5).linear(1024).relu().linear(input.classes);
  return net.take();
}

// One block: each channel is filtered separately, then all channels are mixed.
void separable(NetworkBuilder& net, std::uint32_t out, std::uint32_t stride) {
  net.depthwise_norm({.kernel = 3, .stride = stride, .padding = 1}).relu();
  net.conv_norm(out, {}).relu();
}

NetSpec mobilenet(const Input& input) {
  NetworkBuilder net("mobilenet", input);
  net.conv_norm(16, {.kernel = 3, .padding = 1}).relu();
  separable(net, 32, 1);
  for (const std::uint32_t out : {64u, 128u}) {
    separable(net, out, 2);
    separable(net, out, 1);
  }
  separable(net, 256, 2);
  for (int i = 0; i < 5; ++i) separable(net, 256, 1);
  separable(net, 512, 2);
  separable(net, 512, 1);
  return net.average().linear(input.classes).take();
}

// relu(x + f(x)), where f is two convolutions; x is projected if f changes the shape.
void residual(NetworkBuilder& net, std::uint32_t out, std::uint32_t stride) {
  std::int32_t shortcut = net.last();
  net.conv_norm(out, {.kernel = 3, .stride = stride, .padding = 1}).relu();
  net.conv_norm(out, {.kernel = 3, .padding = 1});
  const std::int32_t branch = net.last();
  if (stride != 1) {
    net.add(LayerKind::kConv, "conv",
            {.input = shortcut, .out = out, .stride = stride, .bias = false});
    shortcut = net.norm().last();
  }
  net.add(LayerKind::kAdd, "add", {.input = branch, .other = shortcut}).relu();
}

NetSpec resnet20(const Input& input) {
  NetworkBuilder net("resnet20", input);
  net.conv_norm(16, {.kernel = 3, .padding = 1}).relu();
  for (const std::uint32_t out : {16u, 32u, 64u}) {
    for (int block = 0; block < 3; ++block) residual(net, out, out > 16 && block == 0 ? 2 : 1);
  }
  return net.average().linear(input.classes).take();
}

// side_min is the smallest side at which every window has input, and every batch norm has at least
// two values from a single sample.
struct ZooEntry {
  NetSpec (*make)(const Input&);
  std::uint32_t side_min;
};

const std::vector<std::string> kLinearNames = {"logistic", "svm",   "svm-l2",
                                               "ridge",    "lasso", "elastic-net"};
const std::vector<std::string> kNames = {"mlp", "lenet5", "alexnet", "mobilenet", "resnet20"};
const std::vector<ZooEntry> kEntries = {
    {mlp, 1}, {lenet5, 12}, {alexnet, 15}, {mobilenet, 17}, {resnet20, 5}};

}  // namespace

std::span<const std::string> linear_names() { return kLinearNames; }

bool is_linear(std::string_view name) {
  return std::ranges::find(kLinearNames, name) != kLinearNames.end();
}

bool is_regression(std::string_view name) {
  return name == "ridge" || name == "lasso" || name == "elastic-net";
}

std::span<const std::string> zoo_names() { return kNames; }

Result<NetSpec> zoo(std::string_view name, const Input& input) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    const auto meant = nearest(name, kNames);
    return fail(ErrorCode::kInvalidInput, "unknown network '{}': expected one of {}{}",
                excerpt(name), fmt::join(kNames, ", "),
                meant ? fmt::format("; did you mean {}?", *meant) : "");
  }
  const ZooEntry& entry = kEntries[static_cast<std::size_t>(found - kNames.begin())];
  if (input.channels < 1 || input.height < entry.side_min || input.width < entry.side_min) {
    return fail(ErrorCode::kInvalidInput,
                "network {}: found images of {} x {} x {} (channels, height, width), expected at "
                "least 1 x {} x {}",
                name, input.channels, input.height, input.width, entry.side_min, entry.side_min);
  }
  if (input.classes < 2) {
    return fail(ErrorCode::kInvalidInput, "network {}: found {} classes, expected at least 2", name,
                input.classes);
  }
  NetSpec spec = entry.make(input);
  SURETY_TRY(output_shapes(spec));
  return spec;
}

}  // namespace surety::model
