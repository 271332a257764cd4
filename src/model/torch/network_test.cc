#include "model/torch/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/initial.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/torch/scores_test.h"
#include "model/zoo.h"

namespace surety::model {
namespace network_test {

using scores_test::network_of;
using scores_test::scores_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr Input kMnist{1, 28, 28, 10};

struct Batch {
  std::vector<float> inputs;
  std::vector<std::int64_t> labels;
};

Batch random_batch(const Input& input, std::size_t samples, std::uint64_t seed) {
  Random random(seed);
  Batch batch{std::vector<float>(samples * input.features()), std::vector<std::int64_t>(samples)};
  for (float& value : batch.inputs) value = static_cast<float>(random.normal());
  for (auto& label : batch.labels) label = static_cast<std::int64_t>(random.below(input.classes));
  return batch;
}

// A network with every kind of layer, small enough for finite differences. Apart from max pooling,
// it is smooth near the values, because these are far from the kinks of the ReLU.
NetSpec every_layer() {
  return {
      "every",
      {.channels = 2, .height = 6, .width = 6, .classes = 3},
      {{.kind = LayerKind::kConv, .name = "a", .input = -1, .out = 4, .kernel = 3, .padding = 1},
       {.kind = LayerKind::kBatchNorm, .name = "b", .input = 0},
       {.kind = LayerKind::kDepthwiseConv,
        .name = "c",
        .input = 1,
        .kernel = 3,
        .stride = 2,
        .padding = 1},
       {.kind = LayerKind::kConv, .name = "d", .input = 1, .out = 4, .stride = 2, .bias = false},
       {.kind = LayerKind::kAdd, .name = "e", .input = 2, .other = 3},
       {.kind = LayerKind::kAvgPool, .name = "f", .input = 4, .kernel = 2, .padding = 1},
       {.kind = LayerKind::kMaxPool, .name = "g", .input = 5, .kernel = 2, .stride = 2},
       {.kind = LayerKind::kRelu, .name = "h", .input = 6},
       {.kind = LayerKind::kFlatten, .name = "i", .input = 7},
       {.kind = LayerKind::kDropout, .name = "j", .input = 8},
       {.kind = LayerKind::kLinear, .name = "k", .input = 9, .out = 3}}};
}

double mean_loss(const NetSpec& spec, std::span<const float> parameters, const Batch& batch) {
  return network_of(spec, parameters).train_batch(batch.inputs, batch.labels);
}

TEST(TorchNetwork, GradientsAreThoseOfFiniteDifferences) {
  for (const NetSpec& spec : {every_layer(), *zoo("mlp", {1, 1, 3, 2})}) {
    const Layout layout = layout_of(spec);
    std::vector<float> parameters = initial_parameters(spec, 4);
    const Batch batch = random_batch(spec.input, 4, 5);
    TorchNetwork network = network_of(spec, parameters);
    network.train_batch(batch.inputs, batch.labels);
    // Central differences in float have an error of about 1e-7 / 2e-3 of the loss.
    const float step = 1e-3f;
    for (std::size_t i = 0; i < layout.trainable; i += 1 + layout.trainable / 150) {
      const float value = parameters[i];
      parameters[i] = value + step;
      const double above = mean_loss(spec, parameters, batch);
      parameters[i] = value - step;
      const double below = mean_loss(spec, parameters, batch);
      parameters[i] = value;
      EXPECT_NEAR(network.gradients()[i], (above - below) / (2 * double{step}), 3e-3) << i;
    }
  }
}

TEST(TorchNetwork, LossOfEqualScoresIsLogOfClasses) {
  TorchNetwork network = network_of(*zoo("lenet5", kMnist), {});  // All parameters are zero.
  const Batch batch = random_batch(kMnist, 3, 1);
  EXPECT_NEAR(network.train_batch(batch.inputs, batch.labels), std::log(10.0), 1e-6);
}

TEST(TorchNetwork, WrittenParametersAreUsedByTheNextBatch) {
  // One linear layer with 2 features and 2 classes: the scores are W x + b.
  const NetSpec spec{"line",
                     {.channels = 1, .height = 1, .width = 2, .classes = 2},
                     {{.kind = LayerKind::kFlatten, .name = "flat"},
                      {.kind = LayerKind::kLinear, .name = "fc", .input = 0, .out = 2}}};
  TorchNetwork network = network_of(spec, std::vector<float>{1, 2, 3, 4, 10, 20});
  const std::vector<float> inputs = {1, 1};
  EXPECT_THAT(scores_of(network, inputs), ElementsAre(13, 27));
  network.parameters()[1] = 5;
  EXPECT_THAT(scores_of(network, inputs), ElementsAre(16, 27));
}

TEST(TorchNetwork, SumAddsBothOperands) {
  const NetSpec spec{
      "sum",
      {.channels = 1, .height = 1, .width = 1, .classes = 2},
      {{.kind = LayerKind::kConv, .name = "double", .out = 1, .bias = false},
       {.kind = LayerKind::kAdd, .name = "sum", .input = 0, .other = kNetworkInput},
       {.kind = LayerKind::kFlatten, .name = "flat", .input = 1},
       {.kind = LayerKind::kLinear, .name = "fc", .input = 2, .out = 2, .bias = false}}};
  TorchNetwork network = network_of(spec, std::vector<float>{2, 1, -1});
  EXPECT_THAT(scores_of(network, std::vector<float>{5}), ElementsAre(15, -15));
}

TEST(TorchNetwork, BatchNormIsThatOfTheSpec) {
  const NetSpec spec{
      "norm",
      {.channels = 1, .height = 1, .width = 1, .classes = 2},
      {{.kind = LayerKind::kBatchNorm, .name = "bn"},
       {.kind = LayerKind::kFlatten, .name = "flat", .input = 0},
       {.kind = LayerKind::kLinear, .name = "fc", .input = 1, .out = 2, .bias = false}}};
  // The values are gamma, beta, two weights, running mean and running variance.
  TorchNetwork network = network_of(spec, std::vector<float>{1, 0, 1, -1, 0, 0});
  EXPECT_NEAR(scores_of(network, std::vector<float>{1})[0], 1 / std::sqrt(1e-5), 0.01);
  network.parameters()[5] = 1;
  // The batch has mean 1 and unbiased variance 2, which enter the running statistics with weight
  // 0.1.
  network.train_batch(std::vector<float>{0, 2}, std::vector<std::int64_t>{0, 1});
  EXPECT_NEAR(network.parameters()[4], 0.1, 1e-6);
  EXPECT_NEAR(network.parameters()[5], 0.9 * 1 + 0.1 * 2, 1e-6);
}

TEST(TorchNetwork, BuffersStayWhereTheyAre) {
  TorchNetwork network = network_of(*zoo("lenet5", kMnist), {});
  const float* parameters = network.parameters().data();
  const float* gradients = network.gradients().data();
  const Batch batch = random_batch(kMnist, 2, 1);
  network.train_batch(batch.inputs, batch.labels);
  TorchNetwork moved = std::move(network);
  moved.train_batch(batch.inputs, batch.labels);
  EXPECT_EQ(moved.parameters().data(), parameters);
  EXPECT_EQ(moved.gradients().data(), gradients);
  EXPECT_EQ(moved.gradients().size(), layout_of(moved.spec()).size);
}

TEST(TorchNetwork, GradientsDoNotAccumulateOverBatches) {
  const NetSpec spec = *zoo("lenet5", kMnist);
  TorchNetwork network = network_of(spec, initial_parameters(spec, 1));
  const Batch batch = random_batch(kMnist, 2, 1);
  network.train_batch(batch.inputs, batch.labels);
  const std::vector<float> first(network.gradients().begin(), network.gradients().end());
  EXPECT_NE(first, std::vector<float>(first.size()));
  network.train_batch(batch.inputs, batch.labels);
  EXPECT_TRUE(std::ranges::equal(network.gradients(), first));
}

TEST(TorchNetwork, RunningStatisticsMoveInTrainingAndHaveNoGradient) {
  const NetSpec spec = every_layer();
  const std::uint64_t trainable = layout_of(spec).trainable;
  const auto initial = initial_parameters(spec, 1);
  TorchNetwork network = network_of(spec, initial);
  const Batch batch = random_batch(spec.input, 4, 2);
  std::vector<float> losses(4);
  std::vector<std::uint8_t> correct(4);
  network.evaluate(batch.inputs, batch.labels, losses, correct);
  EXPECT_TRUE(std::ranges::equal(network.parameters(), initial));
  network.train_batch(batch.inputs, batch.labels);
  for (std::size_t i = 0; i < initial.size(); ++i) {
    EXPECT_EQ(network.parameters()[i] != initial[i], i >= trainable) << i;
  }
  EXPECT_THAT(std::vector<float>(network.gradients().begin() + static_cast<int>(trainable),
                                 network.gradients().end()),
              Each(0.0f));
}

TEST(TorchNetwork, EvaluationGivesEachSampleItsOwnLoss) {
  const NetSpec spec = *zoo("lenet5", kMnist);
  TorchNetwork network = network_of(spec, initial_parameters(spec, 1));
  const Batch batch = random_batch(kMnist, 5, 3);
  std::vector<float> losses(5);
  std::vector<std::uint8_t> correct(5);
  network.evaluate(batch.inputs, batch.labels, losses, correct);
  const std::vector<float> scores = scores_of(network, batch.inputs);
  for (std::size_t n = 0; n < 5; ++n) {
    const std::span<const float> own = std::span(scores).subspan(n * 10, 10);
    double sum = 0;
    for (const float score : own) sum += std::exp(score);
    const auto label = static_cast<std::size_t>(batch.labels[n]);
    EXPECT_NEAR(losses[n], std::log(sum) - double{own[label]}, 1e-4);
    const auto best = std::ranges::max_element(own) - own.begin();
    EXPECT_EQ(correct[n], best == batch.labels[n]);
  }
}

TEST(TorchNetwork, EqualScoresAnswerTheLowestClass) {
  TorchNetwork network = network_of(*zoo("mlp", {1, 1, 2, 3}), {});
  std::vector<float> losses(3);
  std::vector<std::uint8_t> correct(3);
  network.evaluate(std::vector<float>(6), std::vector<std::int64_t>{0, 1, 2}, losses, correct);
  EXPECT_THAT(correct, ElementsAre(1, 0, 0));
}

TEST(TorchNetwork, EvaluationDoesNotDependOnTheOtherSamples) {
  const NetSpec spec = *zoo("resnet20", {1, 8, 8, 4});
  TorchNetwork network = network_of(spec, initial_parameters(spec, 1));
  const Batch batch = random_batch(spec.input, 3, 3);
  const auto together = scores_of(network, batch.inputs);
  const auto alone = scores_of(network, std::span(batch.inputs).first(spec.input.features()));
  EXPECT_THAT(std::vector<float>(together.begin(), together.begin() + 4),
              Pointwise(FloatNear(1e-4f), alone));
}

TEST(TorchNetwork, SeedDecidesWhatDropoutDrops) {
  NetSpec spec = every_layer();
  spec.layers[9].rate = 0.5;
  const auto parameters = initial_parameters(spec, 1);
  TorchNetwork network = network_of(spec, parameters);
  TorchNetwork other = network_of(spec, parameters);
  const Batch batch = random_batch(spec.input, 8, 2);
  const auto loss = [&](TorchNetwork& net) { return net.train_batch(batch.inputs, batch.labels); };
  network.seed(1);
  const double first = loss(network);
  const double second = loss(network);
  EXPECT_NE(first, second);
  network.seed(1);
  other.seed(9);  // The stream of another network changes nothing here.
  EXPECT_NE(loss(other), first);
  EXPECT_EQ(loss(network), first);
}

TEST(TorchNetwork, DropoutKeepsTheExpectedValue) {
  // The scores are the sum of 1000 ones, of which half are dropped and the others doubled.
  const NetSpec spec{"drop",
                     {.channels = 1, .height = 1, .width = 1000, .classes = 2},
                     {{.kind = LayerKind::kFlatten, .name = "flat"},
                      {.kind = LayerKind::kDropout, .name = "drop", .input = 0, .rate = 0.5},
                      {.kind = LayerKind::kLinear, .name = "fc", .input = 1, .out = 2}}};
  TorchNetwork network = network_of(spec, {});
  network.train_batch(std::vector<float>(1000, 1.0f), std::vector<std::int64_t>{0});
  // The scores are equal: the gradient of class 1 is 0.5 x for each kept input, and kept inputs are
  // doubled.
  const std::span<float> gradients = network.gradients().subspan(1000, 1000);
  EXPECT_EQ(std::set<float>(gradients.begin(), gradients.end()), (std::set<float>{0, 1}));
  // The tolerance is 5 sigma.
  EXPECT_NEAR(std::accumulate(gradients.begin(), gradients.end(), 0.0), 500, 80);
}

// The full network, in which the channels that pruning removes are zero: their filters, scales and
// shifts are zero, so every later layer reads zeros from them.
std::vector<float> masked(const NetSpec& spec, const Pruned& pruned,
                          const std::vector<float>& parameters) {
  std::vector<float> values = parameters;
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    const auto& kept = pruned.map.channels[slot.layer];
    if (slot.role == TensorRole::kRunningMean || slot.role == TensorRole::kRunningVariance)
      continue;
    const std::uint64_t row = slot.size / static_cast<std::uint64_t>(slot.shape[0]);
    for (std::uint32_t c = 0; c < slot.shape[0]; ++c) {
      if (std::ranges::binary_search(kept, c)) continue;
      std::ranges::fill(std::span(values).subspan(slot.offset + c * row, row), 0.0f);
    }
  }
  return values;
}

// Parameters like those after training: none is 0 or 1 by construction.
std::vector<float> trained_looking(const NetSpec& spec) {
  std::vector<float> values = initial_parameters(spec, 6);
  Random random(7);
  for (float& value : values) value += 0.1f * static_cast<float>(random.uniform());
  return values;
}

TEST(TorchNetwork, PrunedNetworkComputesWhatTheFullOneDoesWithoutThoseChannels) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, {3, 20, 20, 5});
    const std::vector<float> parameters = trained_looking(spec);
    const Pruned pruned = prune(spec, parameters, 0.5);
    TorchNetwork small = network_of(pruned.spec, pruned.parameters);
    TorchNetwork full = network_of(spec, masked(spec, pruned, parameters));
    const Batch batch = random_batch(spec.input, 2, 8);
    const auto expected = scores_of(full, batch.inputs);
    const auto found = scores_of(small, batch.inputs);
    const auto size = [](float score) { return std::abs(score); };
    const float scale = std::ranges::max(expected, {}, size);
    EXPECT_GT(std::abs(scale), 1e-3f) << name;
    EXPECT_THAT(found, Pointwise(FloatNear(1e-3f * std::abs(scale)), expected)) << name;
  }
}

TEST(TorchNetwork, AGrownNetworkComputesWhatThePrunedOneDid) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, {3, 20, 20, 5});
    const std::vector<float> parameters = trained_looking(spec);
    const Pruned pruned = prune(spec, parameters, 0.5);
    std::vector<float> all = parameters;
    disconnect_removed(spec, pruned.map, all);
    TorchNetwork small = network_of(pruned.spec, pruned.parameters);
    TorchNetwork grown = network_of(spec, all);
    const Batch batch = random_batch(spec.input, 2, 8);
    const auto expected = scores_of(small, batch.inputs);
    const auto found = scores_of(grown, batch.inputs);
    const auto size = [](float score) { return std::abs(score); };
    const float scale = std::abs(std::ranges::max(expected, {}, size));
    EXPECT_THAT(found, Pointwise(FloatNear(1e-5f * std::max(scale, 1.0f)), expected)) << name;
  }
}

TEST(TorchNetwork, ChannelsThatCameBackAreReadAfterABatchOfTraining) {
  const NetSpec spec = *zoo("lenet5", {3, 20, 20, 5});
  const Pruned pruned = prune(spec, trained_looking(spec), 0.5);
  std::vector<float> all = trained_looking(spec);
  disconnect_removed(spec, pruned.map, all);
  TorchNetwork grown = network_of(spec, all);
  const Batch batch = random_batch(spec.input, 8, 8);
  grown.train_batch(batch.inputs, batch.labels);
  std::size_t zeros = 0;
  std::size_t moving = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != 0) continue;
    ++zeros;
    moving += grown.gradients()[i] != 0;
  }
  EXPECT_GT(zeros, 1000u);
  EXPECT_GT(moving, zeros / 4);  // The other weights read ReLUs with output 0.
}

TEST(TorchNetwork, EveryVersionOfEveryNetworkLearnsABatchByHeart) {
  for (const std::string& name : zoo_names()) {
    NetSpec full = *zoo(name, {1, 20, 20, 4});
    for (const double fraction : {0.0, 0.75}) {
      const NetSpec spec = fraction > 0 ? pruned_spec(full, fraction) : full;
      const std::uint64_t trainable = layout_of(spec).trainable;
      TorchNetwork network = network_of(spec, initial_parameters(spec, 1));
      const Batch batch = random_batch(spec.input, 8, 1);
      double loss = 0;
      double first = 0;
      for (int step = 0; step < 6; ++step) {
        loss = network.train_batch(batch.inputs, batch.labels);
        if (step == 0) first = loss;
        for (std::size_t i = 0; i < trainable; ++i) {
          network.parameters()[i] -= 0.02f * network.gradients()[i];
        }
      }
      EXPECT_LT(loss, first) << name << " " << fraction;
    }
  }
}

TEST(TorchNetworkDeathTest, WrongSizesAndLabelsAreBugs) {
  TorchNetwork network = network_of(*zoo("mlp", {1, 1, 2, 3}), {});
  const std::vector<float> inputs(4);
  EXPECT_DEATH(network.train_batch(inputs, std::vector<std::int64_t>{0}), "inputs.size");
  EXPECT_DEATH(network.train_batch(inputs, std::vector<std::int64_t>{0, 3}), "label");
  EXPECT_DEATH(network.train_batch({}, {}), "samples >= 1");
}

TEST(TorchNetworkDeathTest, VarianceOfOneValueIsABug) {
  const NetSpec spec{"norm",
                     {.channels = 1, .height = 1, .width = 2, .classes = 2},
                     {{.kind = LayerKind::kFlatten, .name = "flat"},
                      {.kind = LayerKind::kBatchNorm, .name = "bn", .input = 0},
                      {.kind = LayerKind::kLinear, .name = "fc", .input = 1, .out = 2}}};
  TorchNetwork network = network_of(spec, {});
  EXPECT_DEATH(network.train_batch(std::vector<float>(2), std::vector<std::int64_t>{0}), "numel");
}

}  // namespace network_test
}  // namespace surety::model
