#include "learn/network/weight_average.h"

#include <gmock/gmock.h>

#include <cmath>

namespace surety::learn {
namespace weight_average_test {

using ::testing::FloatEq;
using ::testing::Pointwise;

Model model_of(std::vector<float> parameters) {
  Model model;
  model.parameters = std::move(parameters);
  return model;
}

// Time constants are an eighth of 4 and of 8 passes, and there is half a pass between two models:
// the newest one has the weights 1 - exp(-1) and 1 - exp(-1/2).
TEST(WeightAverage, ItIsTheOneComputedByHandAfterThreeIterations) {
  Model model = model_of({1, -1});
  take_into_average(AverageTurn{.passes = 100, .begin = 0, .end = 0.5}, model);
  EXPECT_EQ(model.average, model.parameters);
  model.parameters = {3, -1};
  take_into_average(AverageTurn{.passes = 100, .begin = 3.5, .end = 4}, model);
  const float second = 1 + 2 * (1 - std::exp(-1.0f));
  EXPECT_THAT(model.average, Pointwise(FloatEq(), {second, -1.0f}));
  model.parameters = {0, 5};
  take_into_average(AverageTurn{.passes = 100, .begin = 7.5, .end = 8}, model);
  const float share = 1 - std::exp(-0.5f);
  EXPECT_THAT(model.average, Pointwise(FloatEq(), {second * (1 - share), -1 + 6 * share}));
  EXPECT_THAT(model.parameters, Pointwise(FloatEq(), {0.0f, 5.0f}));
}

TEST(WeightAverage, ItsTimeConstantGrowsWithThePassesUpToTheLimit) {
  const auto weight = [](double begin) {
    return weight_of_newest({.passes = 0.5, .begin = begin, .end = begin + 0.1});
  };
  EXPECT_GT(weight(0), weight(0.5));
  EXPECT_GT(weight(0.5), weight(3.8));
  EXPECT_NEAR(weight(4), 1 - std::exp(-0.1 / 0.5), 1e-12);
  EXPECT_NEAR(weight(50), weight(4), 1e-9);
  EXPECT_EQ(weight_of_newest({.passes = 0.5, .begin = 0, .end = 0}), 1);
}

// Two short iterations reduce the weight of older models as much as one long iteration.
TEST(WeightAverage, WhatIsForgottenIsByPassesAndNotByIterations) {
  const double long_one = weight_of_newest({.passes = 0.5, .begin = 4, .end = 4.4});
  const double first = weight_of_newest({.passes = 0.5, .begin = 4, .end = 4.1});
  const double second = weight_of_newest({.passes = 0.5, .begin = 4.1, .end = 4.4});
  EXPECT_NEAR(1 - long_one, (1 - first) * (1 - second), 1e-12);
}

TEST(WeightAverage, WithoutATimeConstantThereIsNone) {
  Model model = model_of({1, 2});
  take_into_average({}, model);
  EXPECT_TRUE(model.average.empty());
  EXPECT_EQ(model.kept(), model.parameters);
  model.average = {7, 7};
  take_into_average({}, model);
  EXPECT_TRUE(model.average.empty());
}

TEST(WeightAverage, WhatIsKeptIsTheAverageWhereThereIsOne) {
  Model model = model_of({1, 2});
  EXPECT_EQ(model.kept(), model.parameters);
  model.average = {7, 7};
  EXPECT_EQ(model.kept(), model.average);
}

}  // namespace weight_average_test
}  // namespace surety::learn
