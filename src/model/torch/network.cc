#include "model/torch/network.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <optional>
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
  // Tensors that view `values`, for all slots.
  std::map<std::pair<std::uint32_t, TensorRole>, at::Tensor> tensors;
  std::vector<std::size_t> last_use;  // For each layer, the last layer that reads its output.
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

// Undefined if the layer has no such tensor; libtorch takes this for "no bias".
at::Tensor TorchNetwork::State::tensor(std::uint32_t layer, TensorRole role) const {
  const auto found = tensors.find({layer, role});
  return found == tensors.end() ? at::Tensor() : found->second;
}

at::Tensor TorchNetwork::State::normalize(std::uint32_t index, const at::Tensor& in,
                                          bool training) const {
  // The unbiased variance of a single value is 0 / 0, and would remain in the running statistics.
  SURETY_CHECK(!training || in.numel() >= 2 * in.size(1));
  return at::batch_norm(in, tensor(index, TensorRole::kScale), tensor(index, TensorRole::kShift),
                        tensor(index, TensorRole::kRunningMean),
                        tensor(index, TensorRole::kRunningVariance), training, kNormMomentum,
                        kNormEpsilon, /*cudnn_enabled=*/false);
}

// Uses the network's own generator, because libtorch's dropout draws from a generator that the
// whole process shares.
at::Tensor TorchNetwork::State::drop(const Layer& layer, const at::Tensor& in) {
  const at::Tensor mask = at::empty_like(in, in.options().requires_grad(false));
  return in * mask.bernoulli_(1 - layer.rate, generator).div_(1 - layer.rate);
}

at::Tensor TorchNetwork::State::compute(const Layer& layer, std::uint32_t index,
                                        const at::Tensor& in, const at::Tensor& other,
                                        bool training) {
  const at::Tensor weight = tensor(index, TensorRole::kWeight);
  const at::Tensor bias = tensor(index, TensorRole::kBias);
  const auto kernel = pair_of(layer.kernel);
  const auto stride = pair_of(layer.stride);
  const auto padding = pair_of(layer.padding);
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

// A forward pass, layer by layer.
class TorchNetwork::Walk {
 public:
  Walk(State& state, std::span<const float> inputs, std::int64_t samples, bool training);

  // The network's input, or the output of a computed layer that a later layer reads.
  [[nodiscard]] at::Tensor output_of(std::int32_t layer) const {
    return layer == kNetworkInput ? first_ : outputs_[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] bool is_over() const { return next_ == outputs_.size(); }
  // Computes the next layer. Outputs that no later layer reads are freed at once; autograd holds
  // what the backward pass needs.
  at::Tensor advance();
  // Computes the last layer again, with its current values. REQUIRES: the layer reads `in`.
  void repeat(const at::Tensor& in);

 private:
  State& state_;
  at::Tensor first_;
  bool training_ = false;
  std::vector<at::Tensor> outputs_;
  std::size_t next_ = 0;
};

TorchNetwork::Walk::Walk(State& state, std::span<const float> inputs, std::int64_t samples,
                         bool training)
    : state_(state), training_(training), outputs_(state.spec.layers.size()) {
  const Input& input = state.spec.input;
  SURETY_CHECK(samples >= 1);
  SURETY_CHECK(inputs.size() == static_cast<std::uint64_t>(samples) * input.features());
  // libtorch only reads the inputs, but from_blob() does not accept const data.
  first_ =
      over(const_cast<float*>(inputs.data()), {samples, input.channels, input.height, input.width});
}

at::Tensor TorchNetwork::Walk::advance() {
  const std::size_t i = next_++;
  const Layer& layer = state_.spec.layers[i];
  const std::int32_t other = layer.kind == LayerKind::kAdd ? layer.other : kNetworkInput;
  outputs_[i] = state_.compute(layer, static_cast<std::uint32_t>(i), output_of(layer.input),
                               output_of(other), training_);
  for (const std::int32_t read : {layer.input, other}) {
    if (read >= 0 && state_.last_use[static_cast<std::size_t>(read)] == i) {
      outputs_[static_cast<std::size_t>(read)].reset();
    }
  }
  return outputs_[i];
}

void TorchNetwork::Walk::repeat(const at::Tensor& in) {
  const std::size_t i = next_ - 1;
  outputs_[i] = state_.compute(state_.spec.layers[i], static_cast<std::uint32_t>(i), in,
                               at::Tensor(), training_);
}

at::Tensor TorchNetwork::State::forward(std::span<const float> inputs, std::int64_t samples,
                                        bool training) {
  Walk walk(*this, inputs, samples, training);
  at::Tensor last;
  while (!walk.is_over()) last = walk.advance();
  return last;
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

// Limits the samples of a convolution that are converted at once into rows of its least squares:
// their patches take kernel^2 times the memory of the layer's input. A block has fewer samples if
// the patches would have more than kFitBlockValues values, but at least one sample.
constexpr std::int64_t kFitBlock = 32;
constexpr std::int64_t kFitBlockValues = std::int64_t{16} << 20;
constexpr auto kUnknownsMax = static_cast<std::int64_t>(kFitUnknownsMax);

bool has_weights(const Layer& layer) {
  return layer.kind == LayerKind::kLinear || layer.kind == LayerKind::kConv ||
         layer.kind == LayerKind::kDepthwiseConv;
}

// Unknowns of each output of the layer, including its constant.
std::int64_t unknowns_of(const Layer& layer, const at::Tensor& in) {
  if (layer.kind == LayerKind::kLinear) return in.size(1) + 1;
  const std::int64_t window = std::int64_t{layer.kernel} * layer.kernel;
  return (layer.kind == LayerKind::kDepthwiseConv ? 1 : in.size(1)) * window + 1;
}

// Number of samples whose rows are made at once.
std::int64_t block_of(const Layer& layer, const at::Tensor& in, const at::Tensor& out) {
  if (layer.kind == LayerKind::kLinear) return in.size(0);
  const std::int64_t groups = layer.kind == LayerKind::kDepthwiseConv ? in.size(1) : 1;
  const std::int64_t values = groups * unknowns_of(layer, in) * out.size(2) * out.size(3);
  return std::clamp<std::int64_t>(kFitBlockValues / values, 1, kFitBlock);
}

// The inputs of each output of the layer, as columns: groups x inputs x rows.
at::Tensor columns_read(const Layer& layer, const at::Tensor& in) {
  if (layer.kind == LayerKind::kLinear) return in.t().unsqueeze(0);
  const at::Tensor patches = at::im2col(in, pair_of(layer.kernel), /*dilation=*/{1, 1},
                                        pair_of(layer.padding), pair_of(layer.stride));
  const std::int64_t groups = layer.kind == LayerKind::kDepthwiseConv ? in.size(1) : 1;
  return patches.permute({1, 0, 2}).reshape({groups, patches.size(1) / groups, -1});
}

// The outputs of the layer in the same order: groups x outputs x rows.
at::Tensor columns_answered(const Layer& layer, const at::Tensor& out) {
  if (layer.kind == LayerKind::kLinear) return out.t().unsqueeze(0);
  const std::int64_t groups = layer.kind == LayerKind::kDepthwiseConv ? out.size(1) : 1;
  return out.flatten(2).permute({1, 0, 2}).reshape({groups, out.size(1) / groups, -1});
}

std::vector<double> values_of(const at::Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
  copy_out(tensor, std::span(values));
  return values;
}

// Returns nullopt if `stopped` returned true. Sums within a block are float; sums over blocks are
// double.
std::optional<LayerSums> sums_of(const Layer& layer, std::uint32_t index, const at::Tensor& in,
                                 const at::Tensor& deviation,
                                 const std::function<bool()>& stopped) {
  at::Tensor squares;
  at::Tensor deviations;
  const std::int64_t block = block_of(layer, in, deviation);
  for (std::int64_t first = 0; first < in.size(0); first += block) {
    if (stopped()) return std::nullopt;
    const std::int64_t count = std::min(block, in.size(0) - first);
    at::Tensor read = columns_read(layer, in.narrow(0, first, count));
    read = at::cat({read, at::ones({read.size(0), 1, read.size(2)}, read.options())}, 1);
    const at::Tensor read_by_rows = read.transpose(1, 2);
    const at::Tensor missing = columns_answered(layer, deviation.narrow(0, first, count));
    const at::Tensor more_squares = at::bmm(read, read_by_rows).to(at::kDouble);
    const at::Tensor more_deviations = at::bmm(missing, read_by_rows).to(at::kDouble);
    squares = first == 0 ? more_squares : squares.add_(more_squares);
    deviations = first == 0 ? more_deviations : deviations.add_(more_deviations);
  }
  return LayerSums{.layer = index,
                   .groups = static_cast<std::size_t>(squares.size(0)),
                   .outputs = static_cast<std::size_t>(deviations.size(1)),
                   .inputs = static_cast<std::size_t>(squares.size(1)) - 1,
                   .squares = values_of(squares),
                   .deviations = values_of(deviations)};
}

at::Tensor selected(const at::Tensor& values, const std::vector<std::uint32_t>& channels) {
  const std::vector<std::int64_t> index(channels.begin(), channels.end());
  return values.index_select(1, at::tensor(index, at::TensorOptions().dtype(at::kLong)));
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

bool TorchNetwork::fit_to(const TorchNetwork& teacher,
                          const std::vector<std::vector<std::uint32_t>>& channels,
                          std::span<const float> inputs, const FitLayer& fit,
                          const std::function<bool()>& stopped) {
  const at::NoGradGuard no_gradients;
  const std::vector<Layer>& layers = state_->spec.layers;
  SURETY_CHECK(teacher.spec().layers.size() == layers.size() && channels.size() == layers.size());
  const auto samples = static_cast<std::int64_t>(inputs.size() / state_->spec.input.features());
  Walk ours(*state_, inputs, samples, false);
  Walk theirs(*teacher.state_, inputs, samples, false);
  for (std::uint32_t i = 0; i < layers.size(); ++i) {
    if (stopped()) return false;
    const at::Tensor in = ours.output_of(layers[i].input);
    const bool fits = has_weights(layers[i]) && unknowns_of(layers[i], in) <= kUnknownsMax &&
                      !at::equal(in, theirs.output_of(layers[i].input));
    const at::Tensor target = theirs.advance();
    const at::Tensor answer = ours.advance();
    if (!fits) continue;
    const auto sums = sums_of(layers[i], i, in, selected(target, channels[i]) - answer, stopped);
    if (!sums) return false;
    fit(*sums);
    ours.repeat(in);
  }
  return true;
}

void TorchNetwork::seed(std::uint64_t seed) { state_->generator.set_current_seed(seed); }

void set_torch_threads(int threads) {
  SURETY_CHECK(threads >= 1);
  at::set_num_threads(threads);
}

}  // namespace surety::model
