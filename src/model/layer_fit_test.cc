#include "model/layer_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "model/layout.h"

namespace surety::model {
namespace layer_fit_test {

// The sums that fit_to() would make, from the wanted change of each output on each row.
LayerSums sums_of(const std::vector<std::vector<double>>& rows,
                  const std::vector<std::vector<double>>& deviations) {
  LayerSums sums{
      .outputs = deviations[0].size(), .inputs = rows[0].size(), .squares = {}, .deviations = {}};
  const std::size_t unknowns = sums.unknowns();
  sums.squares.resize(unknowns * unknowns);
  sums.deviations.resize(sums.outputs * unknowns);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<double> x = rows[row];
    x.push_back(1);
    for (std::size_t i = 0; i < unknowns; ++i) {
      for (std::size_t j = 0; j < unknowns; ++j) sums.squares[i * unknowns + j] += x[i] * x[j];
      for (std::size_t o = 0; o < sums.outputs; ++o) {
        sums.deviations[o * unknowns + i] += deviations[row][o] * x[i];
      }
    }
  }
  return sums;
}

std::vector<std::vector<double>> random_rows(std::size_t count, std::size_t size) {
  Random random(7);
  std::vector<std::vector<double>> rows(count, std::vector<double>(size));
  for (auto& row : rows) {
    for (double& value : row) value = random.uniform() - 0.3;
  }
  return rows;
}

TEST(LayerFit, WhatIsALinearFunctionOfTheInputsIsFoundWithItsConstant) {
  // The two outputs should change by 2 a - b + 3 and by -5.
  const auto rows = random_rows(40, 2);
  std::vector<std::vector<double>> wanted;
  for (const auto& row : rows) wanted.push_back({2 * row[0] - row[1] + 3, -5});
  const auto change = least_squares_change(sums_of(rows, wanted), {});
  const std::vector<double> expected = {2, -1, 3, 0, 0, -5};
  ASSERT_EQ(change.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(change[i], expected[i], 1e-9) << i;
}

TEST(LayerFit, WithoutAConstantTheWeightsDoWhatTheyCan) {
  // The only input is always 2, and the output should rise by 6: so the weight rises by 3.
  const auto change =
      least_squares_change(sums_of({{2}, {2}, {2}}, {{6}, {6}, {6}}), {.has_constant = false});
  EXPECT_NEAR(change[0], 3, 1e-12);
  EXPECT_EQ(change[1], 0);
}

TEST(LayerFit, TheRidgeDrawsTowardsNoChangeButNotTheConstant) {
  // The centred inputs are -1 and 1, and the deviations 4 and 8: d = (8 - 4) / (2 + ridge * 2), and
  // the constant is 6.
  const LayerSums sums = sums_of({{-1}, {1}}, {{4}, {8}});
  const auto change = least_squares_change(sums, {.ridge = 1});
  EXPECT_NEAR(change[0], 1, 1e-12);
  EXPECT_NEAR(change[1], 6, 1e-12);
}

TEST(LayerFit, NoiseOfTheInputsDrawsTowardsNoChangeByTheirSquares) {
  // The inputs are uncorrelated, with sums of squares 4 and 64; without noise each would change by
  // 2.
  const LayerSums sums = sums_of({{1, 4}, {1, -4}, {-1, 4}, {-1, -4}}, {{10}, {-6}, {6}, {-10}});
  const auto change = least_squares_change(sums, {.noise = 1});
  EXPECT_NEAR(change[0], 1, 1e-12);
  EXPECT_NEAR(change[1], 1, 1e-12);
}

TEST(LayerFit, BehindADropoutOfAHalfUncorrelatedInputsChangeByHalf) {
  const auto change_of = [](LayerKind kind) {
    const NetSpec net{
        .name = "dropout",
        .input = {.channels = 1, .height = 1, .width = 1, .classes = 2},
        .layers = {{.kind = LayerKind::kFlatten, .name = "flatten", .input = kNetworkInput},
                   {.kind = kind, .name = "before", .input = 0, .rate = 0.5},
                   {.kind = LayerKind::kLinear, .name = "fc", .input = 1, .out = 2}}};
    LayerSums sums = sums_of({{-1}, {1}}, {{-4, 2}, {4, -2}});
    sums.layer = 2;
    std::vector<float> values(layout_of(net).size, 0.0f);
    fit_layer(net, sums, 0, values);
    return values;
  };
  EXPECT_EQ(change_of(LayerKind::kRelu), (std::vector<float>{4, -2, 0, 0}));
  EXPECT_EQ(change_of(LayerKind::kDropout), (std::vector<float>{2, -1, 0, 0}));
}

TEST(LayerFit, FewerRowsThanUnknownsGiveFiniteSmallChanges) {
  const auto rows = random_rows(3, 50);
  const auto change = least_squares_change(sums_of(rows, {{1}, {-2}, {3}}), {.ridge = 1e-3});
  for (const double value : change) EXPECT_LT(std::abs(value), 100);
  // The outputs on the given rows are nearly the wanted ones.
  for (std::size_t row = 0; row < 3; ++row) {
    double answer = change[50];
    for (std::size_t i = 0; i < 50; ++i) answer += change[i] * rows[row][i];
    EXPECT_NEAR(answer, std::vector<double>({1, -2, 3})[row], 0.2);
  }
}

TEST(LayerFit, SumsThatSayNothingOrAreNoNumbersChangeNothing) {
  LayerSums sums = sums_of({{0, 0}, {0, 0}}, {{1}, {1}});
  EXPECT_EQ(least_squares_change(sums, {.ridge = 1e-3}), std::vector<double>(3, 0.0));
  sums = sums_of({{1, 2}, {3, 5}}, {{1}, {1}});
  sums.squares[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(least_squares_change(sums, {.ridge = 1e-3}), std::vector<double>(3, 0.0));
  sums = sums_of({{1, 2}, {3, 5}}, {{1}, {1}});
  sums.deviations[1] = std::nan("");
  EXPECT_EQ(least_squares_change(sums, {.ridge = 1e-3}), std::vector<double>(3, 0.0));
}

TEST(LayerFit, EachGroupHasItsOwnEquations) {
  const LayerSums first = sums_of({{1}, {-1}}, {{2}, {-2}});
  const LayerSums second = sums_of({{3}, {-3}}, {{3}, {-3}});
  LayerSums both = first;
  both.groups = 2;
  both.squares.insert(both.squares.end(), second.squares.begin(), second.squares.end());
  both.deviations.insert(both.deviations.end(), second.deviations.begin(), second.deviations.end());
  const auto change = least_squares_change(both, {});
  EXPECT_NEAR(change[0], 2, 1e-12);
  EXPECT_NEAR(change[2], 1, 1e-12);
}

NetSpec one_layer(bool bias, bool norm) {
  NetSpec net{.name = "one", .input = {.channels = 1, .height = 1, .width = 1, .classes = 2}};
  net.layers.push_back(
      {.kind = LayerKind::kConv, .name = "conv", .input = -1, .out = 2, .bias = bias});
  if (norm) net.layers.push_back({.kind = LayerKind::kBatchNorm, .name = "bn", .input = 0});
  net.layers.push_back({.kind = LayerKind::kFlatten,
                        .name = "flatten",
                        .input = static_cast<std::int32_t>(net.layers.size()) - 1});
  return net;
}

// Two outputs of one input, which should change by 0.5 x + 6 and by -x - 1.
std::vector<float> fitted(const NetSpec& net) {
  const LayerSums sums = sums_of({{2}, {4}}, {{7, -3}, {8, -5}});
  std::vector<float> values(layout_of(net).size, 10.0f);
  fit_layer(net, sums, 0, values);
  return values;
}

TEST(LayerFit, TheConstantGoesIntoTheBias) {
  EXPECT_EQ(fitted(one_layer(true, false)), (std::vector<float>{10.5, 9, 16, 9}));
  // The same if a batch norm follows: weights, biases, scales, shifts, means, variances.
  EXPECT_EQ(fitted(one_layer(true, true)),
            (std::vector<float>{10.5, 9, 16, 9, 10, 10, 10, 10, 10, 10, 10, 10}));
}

TEST(LayerFit, TheConstantOfALayerWithoutBiasIsTakenFromTheRunningMeanBehindIt) {
  EXPECT_EQ(fitted(one_layer(false, true)),
            (std::vector<float>{10.5, 9, 10, 10, 10, 10, 4, 11, 10, 10}));
}

TEST(LayerFit, WithoutAPlaceForAConstantThereIsNone) {
  // The changes 2 a and 4 a should be 7 and 8: a = (14 + 32) / 20. For -3 and -5: a = -26 / 20.
  EXPECT_EQ(fitted(one_layer(false, false)), (std::vector<float>{12.3f, 8.7f}));
}

}  // namespace layer_fit_test
}  // namespace surety::model
