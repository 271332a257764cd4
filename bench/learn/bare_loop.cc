#include "bare_loop.h"

#include <torch/torch.h>

#include "base/check.h"

namespace surety::bench {
namespace {

namespace nn = torch::nn;

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t padding,
                std::int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(padding).stride(stride));
}

nn::MaxPool2d halve() { return nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(2)); }

nn::Sequential lenet5() {
  return nn::Sequential(conv(1, 6, 5, 2), nn::ReLU(), halve(), conv(6, 16, 5, 0), nn::ReLU(),
                        halve(), nn::Flatten(), nn::Linear(400, 120), nn::ReLU(),
                        nn::Linear(120, 84), nn::ReLU(), nn::Linear(84, 10));
}

nn::Sequential alexnet() {
  return nn::Sequential(conv(3, 32, 3, 1, 2), nn::ReLU(), halve(), conv(32, 96, 3, 1), nn::ReLU(),
                        halve(), conv(96, 192, 3, 1), nn::ReLU(), conv(192, 128, 3, 1), nn::ReLU(),
                        conv(128, 128, 3, 1), nn::ReLU(), halve(), nn::Flatten(), nn::Dropout(0.5),
                        nn::Linear(512, 1024), nn::ReLU(), nn::Dropout(0.5), nn::Linear(1024, 1024),
                        nn::ReLU(), nn::Linear(1024, 10));
}

}  // namespace

struct BareLoop::State {
  BareOptions options;
  nn::Sequential network;
  torch::Tensor images;
  torch::Tensor labels;
  std::unique_ptr<torch::optim::SGD> optimizer;
};

BareLoop::BareLoop(const BareOptions& options, std::span<const std::uint8_t> images,
                   std::span<const float> labels, std::span<const float> parameters)
    : state_(std::make_unique<State>()) {
  const bool is_lenet = options.model == "lenet5";
  SURETY_CHECK(is_lenet || options.model == "alexnet");
  const auto count = static_cast<std::int64_t>(labels.size());
  const std::int64_t channels = is_lenet ? 1 : 3;
  const std::int64_t side = is_lenet ? 28 : 32;
  SURETY_CHECK(static_cast<std::int64_t>(images.size()) == count * channels * side * side);
  state_->options = options;
  state_->network = is_lenet ? lenet5() : alexnet();
  std::vector<std::uint8_t> bytes(images.begin(), images.end());
  state_->images = torch::from_blob(bytes.data(), {count, channels, side, side}, torch::kByte)
                       .to(torch::kFloat)
                       .div(255)
                       .sub(0.5)
                       .div(0.5);
  std::vector<float> classes(labels.begin(), labels.end());
  state_->labels = torch::from_blob(classes.data(), {count}).to(torch::kLong);

  const torch::NoGradGuard no_gradients;
  std::size_t at = 0;
  for (torch::Tensor& parameter : state_->network->parameters()) {
    const auto size = static_cast<std::size_t>(parameter.numel());
    SURETY_CHECK(at + size <= parameters.size());
    std::copy_n(parameters.begin() + static_cast<std::ptrdiff_t>(at), size,
                parameter.data_ptr<float>());
    at += size;
  }
  SURETY_CHECK(at == parameters.size());
  state_->optimizer = std::make_unique<torch::optim::SGD>(
      state_->network->parameters(),
      torch::optim::SGDOptions(options.learning_rate).momentum(options.momentum));
}

BareLoop::~BareLoop() = default;

double BareLoop::train(const std::vector<std::uint32_t>& order) {
  const std::vector<std::int64_t> indices(order.begin(), order.end());
  const torch::Tensor all = torch::tensor(indices);
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::int64_t batch = state_->options.batch;
  double loss_sum = 0;
  state_->network->train();
  for (std::int64_t begin = 0; begin < count; begin += batch) {
    const torch::Tensor rows = all.slice(0, begin, std::min(begin + batch, count));
    const torch::Tensor images = state_->images.index_select(0, rows);
    const torch::Tensor labels = state_->labels.index_select(0, rows);
    state_->optimizer->zero_grad();
    const torch::Tensor loss =
        nn::functional::cross_entropy(state_->network->forward(images), labels);
    loss.backward();
    state_->optimizer->step();
    loss_sum += loss.item<double>() * static_cast<double>(rows.numel());
  }
  return loss_sum / static_cast<double>(count);
}

}  // namespace surety::bench
