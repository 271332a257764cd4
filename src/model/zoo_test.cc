#include "model/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "model/layout.h"

namespace surety::model {
namespace zoo_test {

using ::testing::HasSubstr;

constexpr Input kMnist{1, 28, 28, 10};
constexpr Input kCifar{3, 32, 32, 10};

std::uint64_t trainable(std::string_view name, const Input& input) {
  return layout_of(*zoo(name, input)).trainable;
}

TEST(Zoo, LeNet5HasTheParametersOfThePaper) {
  // 6 (25 + 1) + 16 (6 25 + 1) + 120 (400 + 1) + 84 (120 + 1) + 10 (84 + 1)
  EXPECT_EQ(trainable("lenet5", kMnist), 61'706u);
  EXPECT_EQ(trainable("lenet5", {1, 32, 32, 10}), 61'706u);
  EXPECT_EQ(trainable("lenet5", kCifar), 61'706u + 6 * 2 * 25);
}

TEST(Zoo, ResNet20HasTheParametersOfThePaperAndItsProjections) {
  // 269,722 with parameter-free shortcuts; 1x1 projections add 16 32 + 64 and 32 64 + 128.
  EXPECT_EQ(trainable("resnet20", kCifar), 269'722u + 576 + 2176);
}

TEST(Zoo, MlpHasTwoHiddenLayers) {
  EXPECT_EQ(trainable("mlp", {1, 1, 100, 3}), 101u * 256 + 257 * 128 + 129 * 3);
}

TEST(Zoo, DocumentedSizesHold) {
  EXPECT_EQ(trainable("alexnet", kCifar), 2'148'778u);
  EXPECT_EQ(trainable("mobilenet", kCifar), 823'722u);
}

TEST(Zoo, ResNet20NeedsFortyMillionMultiplyAdds) {
  EXPECT_NEAR(static_cast<double>(multiply_adds(*zoo("resnet20", kCifar))), 40.8e6, 0.1e6);
}

TEST(Zoo, EveryNetworkFitsMnistAndCifar) {
  for (const std::string& name : zoo_names()) {
    for (const Input& input : {kMnist, kCifar}) {
      const auto spec = zoo(name, input);
      ASSERT_TRUE(spec) << spec.error().message;
      EXPECT_EQ(spec->name, name);
      EXPECT_TRUE(output_shapes(*spec));
    }
  }
}

TEST(Zoo, SmallestSideIsTheSmallestThatWorks) {
  const std::map<std::string, std::uint32_t> side_min = {
      {"lenet5", 12}, {"alexnet", 15}, {"mobilenet", 17}, {"resnet20", 5}};
  for (const auto& [name, side] : side_min) {
    EXPECT_TRUE(zoo(name, {1, side, side, 2})) << name;
    for (const Input& small : {Input{1, side - 1, 64, 2}, Input{1, 64, side - 1, 2}}) {
      const auto spec = zoo(name, small);
      ASSERT_FALSE(spec) << name;
      EXPECT_EQ(spec.error().code, ErrorCode::kInvalidInput);
      EXPECT_THAT(spec.error().message, HasSubstr(fmt::format("at least 1 x {0} x {0}", side)));
    }
  }
}

TEST(Zoo, BatchNormSeesTwoValuesOfEverySample) {
  // The unbiased variance of a single value does not exist.
  for (const auto& [name, side] :
       std::map<std::string, std::uint32_t>{{"mobilenet", 17}, {"resnet20", 5}}) {
    const NetSpec spec = *zoo(name, {1, side, side, 2});
    const auto shapes = shapes_of(spec);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (spec.layers[i].kind == LayerKind::kBatchNorm) {
        EXPECT_GE(shapes[i].height * shapes[i].width, 2u) << name << " layer " << i;
      }
    }
  }
}

TEST(Zoo, UnknownNameIsToldTheNearest) {
  const auto spec = zoo("lenet", kMnist);
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("did you mean lenet5?"));
  EXPECT_THAT(zoo("perceiver", kMnist).error().message, HasSubstr("mlp, lenet5, alexnet"));
}

TEST(Zoo, OneClassIsNoClassification) {
  EXPECT_FALSE(zoo("mlp", {1, 28, 28, 1}));
  EXPECT_FALSE(zoo("mlp", {0, 28, 28, 10}));
}

}  // namespace zoo_test
}  // namespace surety::model
