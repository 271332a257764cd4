#include "learn/network/network_version.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/initial.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/zoo.h"

namespace surety::learn {
namespace network_version_test {

model::NetSpec lenet() {
  return model::zoo("lenet5", {.channels = 1, .height = 28, .width = 28, .classes = 10}).value();
}

Model full_model(const model::NetSpec& spec) {
  Model model;
  model.parameters = model::initial_parameters(spec, 5);
  return model;
}

// The full parameters at the time of the cut, with the values of the pruned network in their
// places.
std::vector<float> grown(const model::NetSpec& spec, const Model& pruned, double fraction) {
  std::vector<float> values = pruned.parent;
  model::grow(model::prune(spec, pruned.parent, fraction).map, pruned.parameters, values);
  return values;
}

TEST(NetworkVersion, APrunedModelKeepsTheFullOneThatItWasCutFrom) {
  const model::NetSpec spec = lenet();
  const Model full = full_model(spec);
  const Model pruned = switch_network_version(spec, full, "prune:0.5").value();
  EXPECT_LT(pruned.parameters.size(), full.parameters.size() / 2);
  EXPECT_EQ(pruned.parent, full.parameters);
  const Model back = switch_network_version(spec, pruned, "full").value();
  EXPECT_TRUE(back.parent.empty());
  EXPECT_EQ(back.version, "full");
}

TEST(NetworkVersion, KeptChannelsReturnTrainedAndTheOthersAsTheyWereNotReadByThem) {
  const model::NetSpec spec = lenet();
  const Model full = full_model(spec);
  Model pruned = switch_network_version(spec, full, "prune:0.5").value();
  // Trained so strongly that a ranking by the new magnitudes would keep other channels.
  for (std::size_t i = 0; i < pruned.parameters.size(); ++i) {
    pruned.parameters[i] = i % 2 == 0 ? 0 : 100;
  }
  const Model back = switch_network_version(spec, pruned, "full").value();
  const auto map = model::prune(spec, full.parameters, 0.5).map;
  EXPECT_EQ(model::shrink(map, back.parameters), pruned.parameters);
  std::vector<float> expected = grown(spec, pruned, 0.5);
  model::disconnect_removed(spec, map, expected);
  EXPECT_EQ(back.parameters, expected);
}

TEST(NetworkVersion, AFullerVersionHasTheChannelsOfTheOneBefore) {
  const model::NetSpec spec = lenet();
  Model quarter = switch_network_version(spec, full_model(spec), "prune:0.75").value();
  // Values so small that a ranking by the new magnitudes would keep only other channels.
  for (float& value : quarter.parameters) value *= 0.01f;
  const Model half = switch_network_version(spec, quarter, "prune:0.5").value();
  EXPECT_EQ(half.version, "prune:0.5");
  EXPECT_EQ(half.parent, quarter.parent);
  EXPECT_TRUE(check_network_model(spec, half));
  const std::vector<float> all = grown(spec, half, 0.5);
  const auto map = model::prune(spec, quarter.parent, 0.75).map;
  EXPECT_EQ(model::shrink(map, all), quarter.parameters);
}

TEST(NetworkVersion, ASmallerVersionHasTheLargestChannelsOfAll) {
  const model::NetSpec spec = lenet();
  Model half = switch_network_version(spec, full_model(spec), "prune:0.5").value();
  for (float& value : half.parameters) value *= 1.5f;
  const Model direct = switch_network_version(spec, half, "prune:0.75").value();
  EXPECT_EQ(direct.version, "prune:0.75");
  const Model back = switch_network_version(spec, half, "full").value();
  EXPECT_EQ(direct.parent, back.parameters);
  EXPECT_EQ(direct.parameters, model::prune(spec, direct.parent, 0.75).parameters);
}

// A trained model whose average is another model.
Model averaged(const model::NetSpec& spec, const Model& model) {
  Model result = model;
  result.average = model.parameters;
  for (std::size_t i = 0; i < result.average.size(); ++i) {
    result.average[i] += 0.001f * static_cast<float>(i % 17);
    result.parameters[i] *= i % 3 == 0 ? 4.0f : 0.25f;
  }
  EXPECT_TRUE(check_network_model(spec, result));
  return result;
}

TEST(NetworkVersion, ASmallerVersionIsCutFromTheAverage) {
  const model::NetSpec spec = lenet();
  const Model full = averaged(spec, full_model(spec));
  const Model half = switch_network_version(spec, full, "prune:0.5").value();
  EXPECT_EQ(half.parent, full.average);
  EXPECT_EQ(half.parameters, model::prune(spec, full.average, 0.5).parameters);
  EXPECT_EQ(half.average, half.parameters);
  const Model before = averaged(spec, half);
  const Model quarter = switch_network_version(spec, before, "prune:0.75").value();
  EXPECT_EQ(quarter.parent, switch_network_version(spec, before, "full").value().average);
  EXPECT_EQ(quarter.average, quarter.parameters);
  Model last = full;
  last.average.clear();
  EXPECT_EQ(switch_network_version(spec, last, "prune:0.5").value().parent, full.parameters);
}

TEST(NetworkVersion, AModelIsAsCutUntilAnyOfItsValuesIsAnother) {
  for (const std::string network : {"lenet5", "resnet20"}) {
    const model::NetSpec spec =
        model::zoo(network, {.channels = 1, .height = 28, .width = 28, .classes = 10}).value();
    const Model full = full_model(spec);
    EXPECT_FALSE(is_unchanged_since_cut(spec, full));
    const Model half = switch_network_version(spec, full, "prune:0.5").value();
    EXPECT_TRUE(is_unchanged_since_cut(spec, half));
    EXPECT_TRUE(
        is_unchanged_since_cut(spec, switch_network_version(spec, half, "prune:0.75").value()));
    const std::uint64_t trainable =
        model::layout_of(spec_of_version(spec, "prune:0.5").value()).trainable;
    for (const std::size_t at : {std::size_t{0}, half.parameters.size() / 2,
                                 std::size_t{trainable} - 1, half.parameters.size() - 1}) {
      Model learned = half;
      learned.parameters[at] = std::nextafter(learned.parameters[at], 9.0f);
      EXPECT_FALSE(is_unchanged_since_cut(spec, learned)) << network << " " << at;
    }
  }
}

// is_unchanged_since_cut() first compares the bias of the classifier. It is also right if there is
// no such bias.
TEST(NetworkVersion, ANetworkWithoutABiasAtItsEndIsAsCutToo) {
  model::NetSpec spec = lenet();
  spec.layers.back().bias = false;
  const Model half = switch_network_version(spec, full_model(spec), "prune:0.5").value();
  EXPECT_TRUE(is_unchanged_since_cut(spec, half));
}

TEST(NetworkVersion, TheScoresOfTheAverageStayWhereAVersionGrows) {
  const model::NetSpec spec = lenet();
  const Model full = full_model(spec);
  for (const std::string to : {"full", "prune:0.5"}) {
    const Model quarter = averaged(spec, switch_network_version(spec, full, "prune:0.75").value());
    const Model grew = switch_network_version(spec, quarter, to).value();
    Model as_parameters = quarter;
    as_parameters.parameters = quarter.average;
    const Model expected = switch_network_version(spec, as_parameters, to).value();
    EXPECT_EQ(grew.average, expected.parameters) << to;
    EXPECT_NE(grew.average, grew.parameters);
  }
}

TEST(NetworkVersion, SwitchingToTheSameVersionChangesNothing) {
  const model::NetSpec spec = lenet();
  Model half = switch_network_version(spec, full_model(spec), "prune:0.5").value();
  half.parameters[3] = 7;
  const Model same = switch_network_version(spec, half, "prune:.50").value();
  EXPECT_EQ(same.version, "prune:0.5");
  EXPECT_EQ(same.parameters, half.parameters);
  EXPECT_EQ(same.parent, half.parent);
  half.average = half.parameters;
  half.average[5] = 3;
  EXPECT_EQ(switch_network_version(spec, half, "prune:0.5").value().average, half.average);
}

TEST(NetworkVersion, ModelsThatDoNotFitTheNetworkAreRefused) {
  const model::NetSpec spec = lenet();
  const Model full = full_model(spec);
  const Model half = switch_network_version(spec, full, "prune:0.5").value();
  const auto refused = [&](Model model, auto change) {
    change(model);
    const auto result = switch_network_version(spec, model, "full");
    return !result && result.error().code == ErrorCode::kInvalidInput;
  };
  EXPECT_TRUE(refused(full, [](Model& m) { m.parameters.pop_back(); }));
  EXPECT_TRUE(refused(full, [](Model& m) { m.average.resize(3); }));
  EXPECT_TRUE(refused(full, [](Model& m) { m.parent = m.parameters; }));
  EXPECT_TRUE(refused(full, [](Model& m) { m.version = "prune:0.5"; }));
  EXPECT_TRUE(refused(half, [](Model& m) { m.version = "prune:0.75"; }));
  EXPECT_TRUE(refused(half, [](Model& m) { m.parent.clear(); }));
  EXPECT_TRUE(refused(half, [](Model& m) { m.version = "half"; }));
  EXPECT_FALSE(switch_network_version(spec, full, "prune:1.5"));
}

}  // namespace network_version_test
}  // namespace surety::learn
