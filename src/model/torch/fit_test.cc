#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/initial.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/torch/network.h"
#include "model/torch/scores_test.h"
#include "model/zoo.h"

namespace surety::model {
namespace fit_test {

using scores_test::network_of;
using scores_test::scores_of;

constexpr Input kInput{1, 28, 28, 10};
// The squares are sums of floats, so a much smaller ridge would be lost in their rounding.
constexpr double kRidge = 1e-5;

std::vector<float> random_inputs(std::size_t samples) {
  Random random(3);
  std::vector<float> inputs(samples * kInput.features());
  for (float& value : inputs) value = static_cast<float>(random.normal());
  return inputs;
}

// Makes every second channel `share` times the one before it, whose filter gets norm 1, so that
// pruning by half removes every second channel. ReLU, pooling and the batch norm of an untrained
// network keep this relation.
void pair_channels(const NetSpec& spec, float share, std::vector<float>& values) {
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    const bool is_classifier = slot.layer + 1 == spec.layers.size();
    if (slot.role != TensorRole::kWeight || is_classifier) continue;
    const bool mixes = spec.layers[slot.layer].kind != LayerKind::kDepthwiseConv;
    const std::size_t row = slot.size / static_cast<std::size_t>(slot.shape[0]);
    for (std::size_t at = slot.offset; at < slot.offset + slot.size; at += 2 * row) {
      double squares = 0;
      for (std::size_t i = at; i < at + row; ++i) squares += double{values[i]} * values[i];
      const auto scale = static_cast<float>(1 / std::sqrt(squares));
      for (std::size_t i = at; i < at + row; ++i) {
        values[i] *= scale;
        values[i + row] = mixes ? share * values[i] : values[i];
      }
    }
  }
}

// The largest difference between the scores of two networks, relative to the largest score.
double difference(TorchNetwork& a, TorchNetwork& b, std::span<const float> inputs) {
  const std::vector<float> ours = scores_of(a, inputs);
  const std::vector<float> theirs = scores_of(b, inputs);
  double most = 0;
  double largest = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    most = std::max(most, double{std::abs(ours[i] - theirs[i])});
    largest = std::max(largest, double{std::abs(theirs[i])});
  }
  return most / largest;
}

struct Cut {
  TorchNetwork full;
  TorchNetwork pruned;
  std::vector<std::vector<std::uint32_t>> channels;
};

Cut half_of(const NetSpec& spec, std::span<const float> values) {
  Pruned pruned = prune(spec, values, 0.5);
  return {network_of(spec, values), network_of(pruned.spec, pruned.parameters),
          std::move(pruned.map.channels)};
}

bool fit(
    Cut& cut, std::span<const float> inputs, std::function<bool()> stopped = [] { return false; }) {
  const auto fit_one = [&](const LayerSums& sums) {
    fit_layer(cut.pruned.spec(), sums, kRidge, cut.pruned.parameters());
  };
  return cut.pruned.fit_to(cut.full, cut.channels, inputs, fit_one, stopped);
}

// The networks have convolutions, batch norm, depthwise convolutions and residual sums.
TEST(FitTo, RemovedChannelsThatAreMultiplesOfKeptOnesLeaveTheScoresAsTheyWere) {
  const std::vector<float> inputs = random_inputs(16);
  // AlexNet is not among them: its dropout makes the changes smaller, and its wide layers need a
  // larger ridge.
  for (const std::string name : {"mlp", "lenet5", "mobilenet", "resnet20"}) {
    const NetSpec spec = zoo(name, kInput).value();
    std::vector<float> values = initial_parameters(spec, 5);
    pair_channels(spec, 0.5f, values);
    Cut cut = half_of(spec, values);
    EXPECT_GT(difference(cut.pruned, cut.full, inputs), 0.1) << name;
    ASSERT_TRUE(fit(cut, inputs));
    EXPECT_LT(difference(cut.pruned, cut.full, inputs), 1e-2) << name;
  }
}

TEST(FitTo, ANetworkThatLostNothingKeepsItsBytes) {
  const NetSpec spec = zoo("resnet20", kInput).value();
  const std::vector<float> values = initial_parameters(spec, 5);
  Cut cut{network_of(spec, values), network_of(spec, values), {}};
  for (const Shape& shape : shapes_of(spec)) {
    cut.channels.emplace_back(shape.channels);
    std::iota(cut.channels.back().begin(), cut.channels.back().end(), 0u);
  }
  ASSERT_TRUE(fit(cut, random_inputs(4)));
  EXPECT_TRUE(std::ranges::equal(cut.pruned.parameters(), values));
}

TEST(FitTo, TheSameSamplesGiveTheSameBytes) {
  const NetSpec spec = zoo("lenet5", kInput).value();
  const std::vector<float> values = initial_parameters(spec, 5);
  const std::vector<float> inputs = random_inputs(40);
  Cut first = half_of(spec, values);
  Cut second = half_of(spec, values);
  ASSERT_TRUE(fit(first, inputs) && fit(second, inputs));
  EXPECT_TRUE(std::ranges::equal(first.pruned.parameters(), second.pruned.parameters()));
}

TEST(FitTo, OneSampleLeavesAllValuesFinite) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = zoo(name, kInput).value();
    Cut cut = half_of(spec, initial_parameters(spec, 5));
    ASSERT_TRUE(fit(cut, random_inputs(1)));
    for (const float value : cut.pruned.parameters()) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST(FitTo, AsksInEachLayerWhetherToStop) {
  const NetSpec spec = zoo("lenet5", kInput).value();
  const std::vector<float> values = initial_parameters(spec, 5);
  const std::vector<float> inputs = random_inputs(40);
  Cut cut = half_of(spec, values);
  int asked = 0;
  EXPECT_TRUE(fit(cut, inputs, [&] { return ++asked == 0; }));
  EXPECT_GE(asked, static_cast<int>(spec.layers.size()));
  for (int last = 1; last <= asked; ++last) {
    int count = 0;
    Cut stopped = half_of(spec, values);
    EXPECT_FALSE(fit(stopped, inputs, [&] { return ++count == last; }));
    EXPECT_EQ(count, last);
  }
}

// The layers that `fit` gets if the second linear layer reads `kept` values instead of one more.
std::vector<std::uint32_t> fitted_layers(std::uint32_t kept) {
  const auto of_width = [](std::uint32_t width) {
    return TorchNetwork(
        {.name = "wide",
         .input = {.channels = 1, .height = 1, .width = 1, .classes = 2},
         .layers = {{.kind = LayerKind::kFlatten, .name = "flatten"},
                    {.kind = LayerKind::kLinear, .name = "fc1", .input = 0, .out = width},
                    {.kind = LayerKind::kLinear, .name = "fc2", .input = 1, .out = 2}}});
  };
  std::vector<std::vector<std::uint32_t>> channels = {
      {0}, std::vector<std::uint32_t>(kept), {0, 1}};
  std::iota(channels[1].begin(), channels[1].end(), 0u);
  std::vector<std::uint32_t> fitted;
  const std::vector<float> inputs = {1};
  EXPECT_TRUE(of_width(kept).fit_to(
      of_width(kept + 1), channels, inputs,
      [&](const LayerSums& sums) { fitted.push_back(sums.layer); }, [] { return false; }));
  return fitted;
}

TEST(FitTo, ALayerOfTooManyUnknownsIsLeftAsItIs) {
  // The constant counts as one unknown.
  EXPECT_EQ(fitted_layers(kFitUnknownsMax - 1), (std::vector<std::uint32_t>{2}));
  EXPECT_TRUE(fitted_layers(kFitUnknownsMax).empty());
}

TEST(FitTo, LargeImagesAreTakenInBlocksOfFewerSamples) {
  // 100 values and a constant at each of 320 x 320 positions are 10 million values for each sample.
  const auto of_width = [](std::uint32_t width) {
    return TorchNetwork({.name = "large",
                         .input = {.channels = 1, .height = 320, .width = 320, .classes = 2},
                         .layers = {{.kind = LayerKind::kConv, .name = "conv1", .out = width},
                                    {.kind = LayerKind::kConv,
                                     .name = "conv2",
                                     .input = 0,
                                     .out = 2,
                                     .kernel = 5,
                                     .padding = 2},
                                    {.kind = LayerKind::kGlobalAvgPool, .name = "mean", .input = 1},
                                    {.kind = LayerKind::kFlatten, .name = "flatten", .input = 2}}});
  };
  int asked = 0;
  ASSERT_TRUE(of_width(4).fit_to(
      of_width(5), {{0, 1, 2, 3}, {0, 1}, {0, 1}, {0, 1}}, std::vector<float>(3 * 320 * 320),
      [](const LayerSums&) {}, [&] { return ++asked == 0; }));
  // It was asked before each layer, and for each sample of the second one.
  EXPECT_EQ(asked, 4 + 3);
}

}  // namespace fit_test
}  // namespace surety::model
