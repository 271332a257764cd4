#include "model/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "model/initial.h"
#include "model/layout.h"
#include "model/zoo.h"

namespace surety::model {
namespace prune_test {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr Input kCifar{3, 32, 32, 10};
constexpr auto kNan = std::numeric_limits<float>::quiet_NaN();

// 1 input -> `hidden` features -> 2 scores, without biases. The parameters are the hidden weights,
// then the rows of the scores.
NetSpec two_layers(std::uint32_t hidden) {
  return {"two",
          {.channels = 1, .height = 1, .width = 1, .classes = 2},
          {{.kind = LayerKind::kFlatten, .name = "flat"},
           {.kind = LayerKind::kLinear, .name = "hidden", .input = 0, .out = hidden, .bias = false},
           {.kind = LayerKind::kLinear, .name = "scores", .input = 1, .out = 2, .bias = false}}};
}

std::uint32_t kept(std::uint32_t channels, double fraction) {
  return pruned_spec(two_layers(channels), fraction).layers[1].out;
}

std::vector<float> counting(const NetSpec& spec) {
  std::vector<float> values(layout_of(spec).size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

std::size_t index_of(const NetSpec& spec, std::string_view layer) {
  return static_cast<std::size_t>(std::ranges::find(spec.layers, layer, &Layer::name) -
                                  spec.layers.begin());
}

TEST(Prune, LargestFiltersStay) {
  const NetSpec spec = two_layers(4);
  const std::vector<float> parameters = {1, -4, 3, 2, /*rows*/ 10, 11, 12, 13, 20, 21, 22, 23};
  const Pruned pruned = prune(spec, parameters, 0.5);
  EXPECT_THAT(pruned.map.channels[1], ElementsAre(1, 2));
  EXPECT_THAT(pruned.parameters, ElementsAre(-4, 3, 11, 12, 21, 22));
}

TEST(Prune, TiesKeepTheLowerIndex) {
  const std::vector<float> parameters = {1, 2, 2, -2, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(prune(two_layers(4), parameters, 0.5).map.channels[1], ElementsAre(1, 2));
}

TEST(Prune, EveryWeightOfAFilterCounts) {
  // The squared norms are 16 and 18. If only the last weight or the largest weight counted, the
  // first filter would stay.
  NetSpec spec = two_layers(2);
  spec.input.width = 2;
  const Pruned pruned = prune(spec, std::vector<float>{0, 4, 3, 3, 5, 6, 7, 8}, 0.5);
  EXPECT_THAT(pruned.parameters, ElementsAre(3, 3, 6, 8));
}

TEST(Prune, NormThatIsNotFiniteCountsAsNothing) {
  const std::vector<float> parameters = {kNan, 1, 2, kNan, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(prune(two_layers(4), parameters, 0.5).map.channels[1], ElementsAre(1, 2));
}

TEST(Prune, FractionRemovedIsRoundedDown) {
  EXPECT_EQ(kept(4, 0.5), 2u);
  EXPECT_EQ(kept(5, 0.5), 3u);
  EXPECT_EQ(kept(10, 0.75), 3u);
  EXPECT_EQ(kept(3, 0.2), 3u);
}

TEST(Prune, RoundingErrorRemovesNoChannelTooFew) {
  // 0.29 * 100 is 28.999999999999996 in binary.
  EXPECT_EQ(kept(100, 0.29), 71u);
  EXPECT_EQ(kept(10, 0.9), 1u);
  EXPECT_EQ(kept(10, 0.7), 3u);
}

TEST(Prune, OneChannelAlwaysStays) {
  EXPECT_EQ(kept(1, 0.99), 1u);
  EXPECT_EQ(kept(2, 1 - 1e-12), 1u);
}

TEST(Prune, InputsAndScoresAreLeftAlone) {
  const NetSpec spec = *zoo("lenet5", kCifar);
  const Pruned pruned = prune(spec, initial_parameters(spec, 1), 0.75);
  EXPECT_EQ(pruned.spec.input, spec.input);
  EXPECT_EQ(pruned.spec.layers.back().out, 10u);
  EXPECT_EQ(layout_of(pruned.spec).tensors.front().shape[1], 3);
}

TEST(Prune, FlattenedChannelIsRemovedAsABlock) {
  // Two channels of 2 values each are flattened into 4 features; the first channel is removed.
  const NetSpec spec{
      "block",
      {.channels = 1, .height = 1, .width = 2, .classes = 2},
      {{.kind = LayerKind::kConv, .name = "conv", .out = 2, .bias = false},
       {.kind = LayerKind::kFlatten, .name = "flat", .input = 0},
       {.kind = LayerKind::kLinear, .name = "scores", .input = 1, .out = 2, .bias = false}}};
  const Pruned pruned = prune(spec, std::vector<float>{1, 2, 10, 11, 12, 13, 20, 21, 22, 23}, 0.5);
  EXPECT_THAT(pruned.parameters, ElementsAre(2, 12, 13, 22, 23));
  EXPECT_THAT(pruned.map.channels[1], ElementsAre(2, 3));
}

TEST(Prune, DepthwiseConvolutionAndBatchNormFollowTheirInput) {
  const NetSpec spec = *zoo("mobilenet", kCifar);
  const Pruned pruned = prune(spec, initial_parameters(spec, 1), 0.5);
  const auto& channels = pruned.map.channels;
  EXPECT_EQ(channels[index_of(spec, "conv1")].size(), 8u);
  EXPECT_EQ(channels[index_of(spec, "depthwise1")], channels[index_of(spec, "conv1")]);
  EXPECT_EQ(channels[index_of(spec, "bn2")], channels[index_of(spec, "conv1")]);
  EXPECT_NE(channels[index_of(spec, "depthwise2")], channels[index_of(spec, "conv1")]);
}

TEST(Prune, RunningStatisticsGoWithTheirChannel) {
  const NetSpec spec = *zoo("resnet20", kCifar);
  std::vector<float> parameters = counting(spec);
  const Pruned pruned = prune(spec, parameters, 0.5);
  const TensorSlot full = layout_of(spec).tensors.back();
  const TensorSlot small = layout_of(pruned.spec).tensors.back();
  ASSERT_EQ(small.role, TensorRole::kRunningVariance);
  const auto& channels = pruned.map.channels[full.layer];
  for (std::size_t i = 0; i < channels.size(); ++i) {
    EXPECT_EQ(pruned.parameters[small.offset + i], static_cast<float>(full.offset + channels[i]));
  }
}

TEST(Prune, OperandsOfASumLoseTheSameChannels) {
  const NetSpec spec = *zoo("resnet20", kCifar);
  const Pruned pruned = prune(spec, initial_parameters(spec, 1), 0.5);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& layer = spec.layers[i];
    if (layer.kind != LayerKind::kAdd) continue;
    const auto& sum = pruned.map.channels[i];
    EXPECT_EQ(pruned.map.channels[static_cast<std::size_t>(layer.input)], sum) << layer.name;
    EXPECT_EQ(pruned.map.channels[static_cast<std::size_t>(layer.other)], sum) << layer.name;
  }
}

TEST(Prune, TiedChannelsAreRankedByAllTheirFilters) {
  // The squared norms of the channels are 9 + 0 and 4 + 16. The first convolution alone would keep
  // channel 0.
  NetSpec spec{"tied",
               {.channels = 1, .height = 1, .width = 1, .classes = 2},
               {{.kind = LayerKind::kConv, .name = "a", .out = 2, .bias = false},
                {.kind = LayerKind::kConv, .name = "b", .out = 2, .bias = false},
                {.kind = LayerKind::kAdd, .name = "sum", .input = 0, .other = 1},
                {.kind = LayerKind::kFlatten, .name = "flat", .input = 2},
                {.kind = LayerKind::kLinear, .name = "fc", .input = 3, .out = 2, .bias = false}}};
  const Pruned pruned = prune(spec, std::vector<float>{3, 2, 0, 4, 5, 6, 7, 8}, 0.5);
  EXPECT_THAT(pruned.parameters, ElementsAre(2, 4, 6, 8));
}

TEST(Prune, SumThatCountsChannelsDifferentlyIsLeftAlone) {
  // Four features are one channel of 2 x 2 on one side and four units on the other.
  const NetSpec spec{"mixed",
                     {.channels = 1, .height = 2, .width = 2, .classes = 2},
                     {{.kind = LayerKind::kConv, .name = "conv", .out = 1},
                      {.kind = LayerKind::kFlatten, .name = "flat", .input = 0},
                      {.kind = LayerKind::kLinear, .name = "units", .input = 1, .out = 4},
                      {.kind = LayerKind::kAdd, .name = "sum", .input = 1, .other = 2},
                      {.kind = LayerKind::kLinear, .name = "scores", .input = 3, .out = 2}}};
  EXPECT_EQ(pruned_spec(spec, 0.75), spec);
  EXPECT_EQ(prune(spec, counting(spec), 0.75).parameters, counting(spec));
}

TEST(Prune, SumWithTheNetworksInputIsLeftAlone) {
  const NetSpec spec{"shortcut",
                     {.channels = 2, .height = 1, .width = 1, .classes = 2},
                     {{.kind = LayerKind::kConv, .name = "conv", .out = 2},
                      {.kind = LayerKind::kAdd, .name = "sum", .input = 0, .other = kNetworkInput},
                      {.kind = LayerKind::kFlatten, .name = "flat", .input = 1},
                      {.kind = LayerKind::kLinear, .name = "scores", .input = 2, .out = 2}}};
  EXPECT_EQ(pruned_spec(spec, 0.5), spec);
}

TEST(Prune, EveryNetworkBecomesReallySmaller) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, kCifar);
    const double size = static_cast<double>(layout_of(spec).size);
    const double work = static_cast<double>(multiply_adds(spec));
    const NetSpec half = pruned_spec(spec, 0.5);
    // Hidden layers shrink to a quarter, the first and the last layer to a half.
    EXPECT_LT(static_cast<double>(layout_of(half).size), 0.5 * size) << name;
    EXPECT_LT(static_cast<double>(multiply_adds(half)), 0.5 * work) << name;
    EXPECT_LT(multiply_adds(pruned_spec(spec, 0.9)), multiply_adds(half)) << name;
  }
}

TEST(Prune, SpecDependsOnTheFractionAlone) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, kCifar);
    for (const std::uint64_t seed : {1, 2}) {
      EXPECT_EQ(prune(spec, initial_parameters(spec, seed), 0.6).spec, pruned_spec(spec, 0.6));
    }
  }
}

TEST(Prune, SameBytesInGiveTheSameBytesOut) {
  const NetSpec spec = *zoo("mobilenet", kCifar);
  const auto parameters = initial_parameters(spec, 5);
  const Pruned once = prune(spec, parameters, 0.75);
  const Pruned twice = prune(spec, parameters, 0.75);
  EXPECT_EQ(once.map.index, twice.map.index);
  EXPECT_EQ(once.parameters, twice.parameters);
}

TEST(Prune, ValuesKeepTheirLayerRoleAndPlace) {
  // Computes the index in a second way: every pruned tensor reads only its own full tensor, in
  // ascending order.
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, kCifar);
    const Pruned pruned = prune(spec, initial_parameters(spec, 1), 0.5);
    const Layout full = layout_of(spec);
    const Layout small = layout_of(pruned.spec);
    ASSERT_EQ(full.tensors.size(), small.tensors.size());
    for (std::size_t t = 0; t < full.tensors.size(); ++t) {
      EXPECT_EQ(full.tensors[t].name, small.tensors[t].name);
      std::uint64_t low = full.tensors[t].offset;
      for (std::uint64_t i = 0; i < small.tensors[t].size; ++i) {
        const std::uint32_t at = pruned.map.index[small.tensors[t].offset + i];
        ASSERT_GE(at, low);
        low = at + 1;
      }
      ASSERT_LE(low, full.tensors[t].offset + full.tensors[t].size);
    }
  }
}

TEST(Prune, GrowingWhatWasShrunkIsTheIdentity) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, kCifar);
    const auto parameters = initial_parameters(spec, 2);
    const Pruned pruned = prune(spec, parameters, 0.75);
    EXPECT_EQ(shrink(pruned.map, parameters), pruned.parameters);
    auto full = parameters;
    grow(pruned.map, pruned.parameters, full);
    EXPECT_EQ(full, parameters);
  }
}

TEST(Prune, RemovedChannelsComeBackAsTheyWere) {
  const NetSpec spec = *zoo("mobilenet", kCifar);
  const auto parameters = initial_parameters(spec, 2);
  Pruned pruned = prune(spec, parameters, 0.5);
  std::ranges::fill(pruned.parameters, 42.0f);  // Training would change the values.
  auto full = parameters;
  grow(pruned.map, pruned.parameters, full);
  EXPECT_THAT(shrink(pruned.map, full), Each(42.0f));
  const std::set<std::uint32_t> trained(pruned.map.index.begin(), pruned.map.index.end());
  EXPECT_EQ(trained.size(), pruned.map.index.size());
  for (std::uint32_t i = 0; i < full.size(); ++i) {
    if (trained.contains(i)) continue;
    ASSERT_EQ(full[i], parameters[i]) << i;
  }
}

TEST(PruneDeathTest, ParametersOfAnotherNetworkAreABug) {
  EXPECT_DEATH((void)prune(two_layers(4), std::vector<float>(11), 0.5), "parameters.size");
  EXPECT_DEATH((void)pruned_spec(two_layers(4), 1.0), "fraction");
}

}  // namespace prune_test
}  // namespace surety::model
