#include "model/torch/network.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.h"
#include "model/layout.h"

namespace surety::model {
namespace {

constexpr double kNormMomentum = 0.1;
constexpr double kNormEpsilon = 1e-5;

std::vector<std::int64_t> pair_of(std::uint32_t value) { return {value, value}; }

at::Tensor over(float* values, const std::vector<std::int64_t>& shape) {
  return at::from_blob(values, shape, at::TensorOptions().dtype(at::kFloat));
}

}  // namespace

struct TorchNetwork::State {
  explicit State(const NetSpec& net);

  at::Tensor forward(std::span<const float> inputs, std::int64_t samples, bool training);
  at::Tensor compute(const Layer& layer, std::uint32_t index, const at::Tensor& in,
                     const at::Tensor& other, bool training);
  at::Tensor normalize(std::uint32_t index, const at::Tensor& in, bool training) const;
  at::Tensor drop(const Layer& layer, const at::Tensor& in);
  at::Tensor tensor(std::uint32_t layer, TensorRole role) const;

  NetSpec spec;
  std::vector<float> values;
  std::vector<float> gradients;
  std::map<std::pair<std::uint32_t, TensorRole>, at::Tensor> tensors;  // Over values; all of them.
  std::vector<std::size_t> last_use;  // Per layer: the last layer that reads its output.
  at::Generator generator = at::detail::createCPUGenerator();
};

TorchNetwork::State::State(const NetSpec& net) : spec(net), last_use(net.layers.size()) {
  const Layout layout = layout_of(spec);
  values.resize(layout.size);
  gradients.resize(layout.size);
  for (const TensorSlot& slot : layout.tensors) {
    at::Tensor tensor = over(values.data() + slot.offset, slot.shape);
    if (slot.offset < layout.trainable) {
      tensor.set_requires_grad(true);
      tensor.mutable_grad() = over(gradients.data() + slot.offset, slot.shape);
    }
    tensors[{slot.layer, slot.role}] = std::move(tensor);
  }
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& layer = spec.layers[i];
    if (layer.input >= 0) last_use[static_cast<std::size_t>(layer.input)] = i;
    if (layer.kind == LayerKind::kAdd && layer.other >= 0) {
      last_use[static_cast<std::size_t>(layer.other)] = i;
    }
  }
}

// Undefined where the layer has none, which libtorch takes for "no bias".
at::Tensor TorchNetwork::State::tensor(std::uint32_t layer, TensorRole role) const {
  const auto found = tensors.find({layer, role});
  return found == tensors.end() ? at::Tensor() : found->second;
}

at::Tensor TorchNetwork::State::normalize(std::uint32_t index, const at::Tensor& in,
                                          bool training) const {
  // The unbiased variance of a single value is 0 / 0, and would stay in the running statistics.
  SURETY_CHECK(!training || in.numel() >= 2 * in.size(1));
  return at::batch_norm(in, tensor(index, TensorRole::kScale), tensor(index, TensorRole::kShift),
                        tensor(index, TensorRole::kRunningMean),
                        tensor(index, TensorRole::kRunningVariance), training, kNormMomentum,
                        kNormEpsilon, /*cudnn_enabled=*/false);
}

// By our own generator: libtorch's dropout draws from one that the whole process shares.
at::Tensor TorchNetwork::State::drop(const Layer& layer, const at::Tensor& in) {
  const at::Tensor mask = at::empty_like(in, in.options().requires_grad(false));
  return in * mask.bernoulli_(1 - layer.rate, generator).div_(1 - layer.rate);
}

at::Tensor TorchNetwork::State::compute(const Layer& layer, std::uint32_t index,
                                        const at::Tensor& in, const at::Tensor& other,
                                        bool training) {
  const at::Tensor weight = tensor(index, TensorRole::kWeight);
  const at::Tensor bias = tensor(index, TensorRole::kBias);
  const auto kernel = pair_of(layer.kernel), stride = pair_of(layer.stride),
             padding = pair_of(layer.padding);
  switch (layer.kind) {
    case LayerKind::kLinear:
      return at::linear(in, weight, bias);
    case LayerKind::kConv:
      return at::conv2d(in, weight, bias, stride, padding);
    case LayerKind::kDepthwiseConv:
      return at::conv2d(in, weight, bias, stride, padding, /*dilation=*/1, /*groups=*/in.size(1));
    case LayerKind::kBatchNorm:
      return normalize(index, in, training);
    case LayerKind::kRelu:
      return at::relu(in);
    case LayerKind::kMaxPool:
      return at::max_pool2d(in, kernel, stride, padding);
    case LayerKind::kAvgPool:
      return at::avg_pool2d(in, kernel, stride, padding);
    case LayerKind::kGlobalAvgPool:
      return at::mean(in, {2, 3}, /*keepdim=*/true);
    case LayerKind::kFlatten:
      return at::flatten(in, 1);
    case LayerKind::kDropout:
      return training && layer.rate > 0 ? drop(layer, in) : in;
    case LayerKind::kAdd:
      return in + other;
  }
  SURETY_CHECK(false);
}

at::Tensor TorchNetwork::State::forward(std::span<const float> inputs, std::int64_t samples,
                                        bool training) {
  const Input& input = spec.input;
  SURETY_CHECK(samples >= 1);
  SURETY_CHECK(inputs.size() == static_cast<std::uint64_t>(samples) * input.features());
  // libtorch reads the inputs only; from_blob has no type for that.
  const at::Tensor first =
      over(const_cast<float*>(inputs.data()), {samples, input.channels, input.height, input.width});
  std::vector<at::Tensor> outputs(spec.layers.size());
  const auto output_of = [&](std::int32_t layer) {
    return layer == kNetworkInput ? first : outputs[static_cast<std::size_t>(layer)];
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Layer& layer = spec.layers[i];
    const std::int32_t other = layer.kind == LayerKind::kAdd ? layer.other : kNetworkInput;
    outputs[i] = compute(layer, static_cast<std::uint32_t>(i), output_of(layer.input),
                         output_of(other), training);
    for (const std::int32_t read : {layer.input, other}) {
      // What nobody reads any more is freed at once; what backward needs, autograd holds.
      if (read >= 0 && last_use[static_cast<std::size_t>(read)] == i) {
        outputs[static_cast<std::size_t>(read)].reset();
      }
    }
  }
  return outputs.back();
}

namespace {

at::Tensor targets(std::span<const std::int64_t> labels, std::uint32_t classes) {
  for (const std::int64_t label : labels) SURETY_CHECK(label >= 0 && label < classes);
  return at::from_blob(const_cast<std::int64_t*>(labels.data()),
                       {static_cast<std::int64_t>(labels.size())},
                       at::TensorOptions().dtype(at::kLong));
}

template <typename T>
void copy_out(const at::Tensor& tensor, std::span<T> to) {
  const at::Tensor dense = tensor.contiguous();
  SURETY_CHECK(static_cast<std::size_t>(dense.numel()) == to.size());
  std::copy_n(dense.data_ptr<T>(), to.size(), to.begin());
}

}  // namespace

TorchNetwork::TorchNetwork(const NetSpec& spec) : state_(std::make_unique<State>(spec)) {}
TorchNetwork::~TorchNetwork() = default;
TorchNetwork::TorchNetwork(TorchNetwork&&) noexcept = default;
TorchNetwork& TorchNetwork::operator=(TorchNetwork&&) noexcept = default;

const NetSpec& TorchNetwork::spec() const { return state_->spec; }
std::span<float> TorchNetwork::parameters() { return state_->values; }
std::span<float> TorchNetwork::gradients() { return state_->gradients; }

double TorchNetwork::train_batch(std::span<const float> inputs,
                                 std::span<const std::int64_t> labels) {
  std::ranges::fill(state_->gradients, 0.0f);
  const auto samples = static_cast<std::int64_t>(labels.size());
  const at::Tensor scores = state_->forward(inputs, samples, /*training=*/true);
  const at::Tensor loss =
      at::cross_entropy_loss(scores, targets(labels, state_->spec.input.classes));
  loss.backward();
  return loss.item<double>();
}

void TorchNetwork::evaluate(std::span<const float> inputs, std::span<const std::int64_t> labels,
                            std::span<float> losses, std::span<std::uint8_t> correct) {
  const at::NoGradGuard no_gradients;
  const auto samples = static_cast<std::int64_t>(labels.size());
  const at::Tensor scores = state_->forward(inputs, samples, /*training=*/false);
  const at::Tensor target = targets(labels, state_->spec.input.classes);
  copy_out(at::cross_entropy_loss(scores, target, {}, at::Reduction::None), losses);
  copy_out(at::argmax(scores, 1).eq(target).to(at::kByte), correct);
}

void TorchNetwork::predict(std::span<const float> inputs, std::span<float> scores) {
  const at::NoGradGuard no_gradients;
  const std::uint64_t features = state_->spec.input.features();
  SURETY_CHECK(inputs.size() % features == 0);
  const auto samples = static_cast<std::int64_t>(inputs.size() / features);
  copy_out(state_->forward(inputs, samples, /*training=*/false), scores);
}

void TorchNetwork::seed(std::uint64_t seed) { state_->generator.set_current_seed(seed); }

void set_torch_threads(int threads) {
  SURETY_CHECK(threads >= 1);
  at::set_num_threads(threads);
}

}  // namespace surety::model
