#include "model/initial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/checksum.h"
#include "model/layout.h"
#include "model/zoo.h"

namespace surety::model {
namespace initial_test {

constexpr Input kCifar{3, 32, 32, 10};

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(std::span<const float> values) {
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
  }
  const double count = static_cast<double>(values.size());
  return {sum / count, squares / count - sum * sum / count / count};
}

const TensorSlot& slot_of(const Layout& layout, std::string_view name) {
  return *std::ranges::find(layout.tensors, name, &TensorSlot::name);
}

std::span<const float> part(const std::vector<float>& values, const TensorSlot& slot) {
  return std::span(values).subspan(slot.offset, slot.size);
}

TEST(Initial, WeightsHaveVarianceTwoByFanIn) {
  const NetSpec spec = *zoo("alexnet", kCifar);
  const Layout layout = layout_of(spec);
  const auto values = initial_parameters(spec, 1);
  const Moments conv = moments(part(values, slot_of(layout, "conv3.weight")));  // 165,888 values
  EXPECT_NEAR(conv.variance * 96 * 9 / 2, 1, 0.02);
  EXPECT_NEAR(conv.mean * 100, 0, 0.05);  // The standard error of the mean is 0.00012.
  const Moments scores = moments(part(values, slot_of(layout, "fc3.weight")));  // 10,240 values
  EXPECT_NEAR(scores.variance * 1024, 1, 0.06);
}

TEST(Initial, BulkIsThatOfANormalAndTailsAreThinner) {
  const NetSpec spec = *zoo("mlp", {1, 1, 1000, 10});
  const auto values = initial_parameters(spec, 3);
  const double sigma = std::sqrt(2.0 / 1000);
  std::map<int, double> beyond;
  for (const float value : std::span(values).first(256'000)) {
    for (int i = 1; i <= 3; ++i) beyond[i] += std::abs(value) > i * sigma;
  }
  EXPECT_NEAR(beyond[1] / 256'000, 0.3173, 0.006);
  EXPECT_NEAR(beyond[2] / 256'000, 0.0455, 0.002);
  EXPECT_NEAR(beyond[3] / 256'000, 0.0020, 0.0003);  // A normal distribution has 0.0027.
}

TEST(Initial, BatchNormBeginsAsTheIdentity) {
  const NetSpec spec = *zoo("resnet20", kCifar);
  const auto values = initial_parameters(spec, 1);
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    if (slot.role == TensorRole::kWeight) continue;
    const bool one = slot.role == TensorRole::kScale || slot.role == TensorRole::kRunningVariance;
    for (const float value : part(values, slot)) ASSERT_EQ(value, one ? 1.0f : 0.0f) << slot.name;
  }
}

TEST(Initial, SeedDecidesEveryByte) {
  const NetSpec spec = *zoo("lenet5", kCifar);
  EXPECT_EQ(initial_parameters(spec, 7), initial_parameters(spec, 7));
  EXPECT_NE(initial_parameters(spec, 7), initial_parameters(spec, 8));
}

TEST(Initial, TensorsOfOneShapeDiffer) {
  const NetSpec spec = *zoo("resnet20", kCifar);
  const Layout layout = layout_of(spec);
  const auto values = initial_parameters(spec, 1);
  const auto first = part(values, slot_of(layout, "conv2.weight"));
  const auto second = part(values, slot_of(layout, "conv3.weight"));
  EXPECT_FALSE(std::ranges::equal(first, second));
}

TEST(Initial, BytesAreTheSameOnEveryMachine) {
  const auto values = initial_parameters(*zoo("lenet5", {1, 28, 28, 10}), 1);
  EXPECT_EQ(checksum_of<float>(values), 17174366791471646049ull);
}

}  // namespace initial_test
}  // namespace surety::model
