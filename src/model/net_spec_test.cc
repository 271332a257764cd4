#include "model/net_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace surety::model {
namespace net_spec_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One convolution (2 -> 3 channels) on 2 x 8 x 6, then flattened and classified.
NetSpec tiny() {
  return {"tiny",
          {.channels = 2, .height = 8, .width = 6, .classes = 4},
          {{.kind = LayerKind::kConv, .name = "a", .input = -1, .out = 3, .kernel = 3, .stride = 2},
           {.kind = LayerKind::kFlatten, .name = "b", .input = 0},
           {.kind = LayerKind::kLinear, .name = "c", .input = 1, .out = 4}}};
}

std::string refusal(const NetSpec& spec) {
  const auto shapes = output_shapes(spec);
  return shapes ? "accepted" : shapes.error().message;
}

TEST(NetSpec, ShapesFollowKernelAndStride) {
  // (8 - 3) / 2 + 1 = 3 rows, (6 - 3) / 2 + 1 = 2 columns.
  EXPECT_THAT(shapes_of(tiny()),
              ElementsAre(Shape{3, 3, 2, false}, Shape{18, 1, 1, true}, Shape{4, 1, 1, true}));
}

TEST(NetSpec, PaddingWidensBothSides) {
  NetSpec spec = tiny();
  spec.layers[0].padding = 1;
  EXPECT_EQ(shapes_of(spec)[0], (Shape{3, 4, 3, false}));
}

TEST(NetSpec, MultiplyAddsCountEveryPositionOfAFilter) {
  // 3 filters of 2 x 3 x 3 at 3 x 2 positions, then 18 x 4.
  EXPECT_EQ(multiply_adds(tiny()), 3u * 18 * 6 + 18 * 4);
}

TEST(NetSpec, DepthwiseFilterCostsOneChannelEach) {
  NetSpec spec = tiny();
  spec.layers[0].kind = LayerKind::kDepthwiseConv;  // 2 filters of 3 x 3 at 3 x 2 positions.
  EXPECT_EQ(multiply_adds(spec), 2u * 9 * 6 + 12 * 4);
}

TEST(NetSpec, WindowLargerThanTheImageIsRefusedByName) {
  NetSpec spec = tiny();
  spec.layers[0].kernel = 7;
  EXPECT_THAT(refusal(spec), HasSubstr("tiny: layer 0 (a): a window of 7 does not fit into 6"));
}

TEST(NetSpec, StrideOfNothingIsRefused) {
  NetSpec spec = tiny();
  spec.layers[0].stride = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("not a valid window"));
}

TEST(NetSpec, PoolThatSeesOnlyPaddingIsRefused) {
  NetSpec spec = tiny();
  spec.layers[0] = {.kind = LayerKind::kMaxPool, .name = "a", .kernel = 3, .padding = 2};
  EXPECT_THAT(refusal(spec), HasSubstr("not a valid window"));
}

TEST(NetSpec, LayerReadsOnlyEarlierOnes) {
  for (const std::int32_t input : {-2, 1, 2, 99}) {
    NetSpec spec = tiny();
    spec.layers[1].input = input;
    EXPECT_THAT(refusal(spec), HasSubstr("not before it")) << input;
  }
}

TEST(NetSpec, SecondOperandOfASumIsCheckedToo) {
  NetSpec spec = tiny();
  spec.layers.push_back({.kind = LayerKind::kAdd, .name = "d", .input = 2, .other = 3});
  EXPECT_THAT(refusal(spec), HasSubstr("not before it"));
  spec.layers.back().other = 1;
  EXPECT_THAT(refusal(spec), HasSubstr("different shapes"));
  spec.layers.back().other = 2;
  EXPECT_EQ(refusal(spec), "accepted");
}

TEST(NetSpec, TwoLayersOfOneNameAreRefused) {
  NetSpec spec = tiny();
  spec.layers[2].name = "a";
  EXPECT_THAT(refusal(spec), HasSubstr("two layers have the name a"));
}

TEST(NetSpec, LinearLayerReadsFlatValuesOnly) {
  NetSpec spec = tiny();
  spec.layers[2].input = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("expected flat values"));
}

TEST(NetSpec, ConvolutionReadsImagesOnly) {
  NetSpec spec = tiny();
  spec.layers[2].kind = LayerKind::kConv;
  EXPECT_THAT(refusal(spec), HasSubstr("expected an image"));
}

TEST(NetSpec, ScoresMustBeOnePerClass) {
  NetSpec spec = tiny();
  spec.input.classes = 5;
  EXPECT_THAT(refusal(spec), HasSubstr("found 4 x 1 x 1 outputs, expected 5 flat scores"));
}

TEST(NetSpec, SizesThatOverflowAreRefused) {
  NetSpec spec = tiny();
  spec.layers[0].out = 0xffffffffu;
  EXPECT_THAT(refusal(spec), HasSubstr("is larger than"));
  spec = tiny();
  spec.input.height = spec.input.width = 0xffffffffu;
  EXPECT_THAT(refusal(spec), HasSubstr("is not a valid image"));
  spec = tiny();
  spec.layers[0].kernel = spec.layers[0].padding = 0xffffffffu;
  EXPECT_THAT(refusal(spec), HasSubstr("not a valid window"));
}

TEST(NetSpec, SumOfAllWeightsIsLimited) {
  // Each layer alone is allowed (2^30 weights), three of them are not.
  NetSpec spec{"wide", {.channels = 1, .height = 1, .width = 1u << 15, .classes = 1u << 15}, {}};
  spec.layers.push_back({.kind = LayerKind::kFlatten, .name = "flat"});
  for (std::int32_t i = 0; i < 3; ++i) {
    spec.layers.push_back({.kind = LayerKind::kLinear,
                           .name = std::string(1, static_cast<char>('a' + i)),
                           .input = i,
                           .out = 1u << 15});
  }
  EXPECT_THAT(refusal(spec), HasSubstr("more than 2147483648 parameters"));
}

TEST(NetSpec, DropoutOfEverythingIsRefused) {
  NetSpec spec = tiny();
  spec.layers[1].kind = LayerKind::kDropout;
  spec.layers[1].rate = 1;
  EXPECT_THAT(refusal(spec), HasSubstr("found rate 1"));
}

}  // namespace net_spec_test
}  // namespace surety::model
