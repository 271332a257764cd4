#include "model/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "model/zoo.h"

namespace surety::model {
namespace layout_test {

using ::testing::ElementsAre;

constexpr Input kCifar{3, 32, 32, 10};

std::vector<Layout> zoo_layouts() {
  std::vector<Layout> layouts;
  for (const std::string& name : zoo_names()) layouts.push_back(layout_of(*zoo(name, kCifar)));
  return layouts;
}

TEST(Layout, EachTensorBeginsWhereTheOneBeforeEnds) {
  for (const Layout& layout : zoo_layouts()) {
    std::uint64_t end = 0;
    for (const TensorSlot& slot : layout.tensors) {
      EXPECT_EQ(slot.offset, end);
      std::uint64_t product = 1;
      for (const std::int64_t side : slot.shape) product *= static_cast<std::uint64_t>(side);
      EXPECT_EQ(slot.size, product);
      end += slot.size;
    }
    EXPECT_EQ(layout.size, end);
    EXPECT_EQ(layout.bytes(), 4 * end);
  }
}

TEST(Layout, RunningStatisticsFollowEverythingTrainable) {
  for (const Layout& layout : zoo_layouts()) {
    for (const TensorSlot& slot : layout.tensors) {
      const bool statistic =
          slot.role == TensorRole::kRunningMean || slot.role == TensorRole::kRunningVariance;
      EXPECT_EQ(statistic, slot.offset >= layout.trainable) << slot.name;
    }
  }
}

TEST(Layout, NamesAndShapesAreThoseOfPyTorch) {
  const Layout layout = layout_of(*zoo("mobilenet", kCifar));
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const TensorSlot& slot : layout.tensors) shapes[slot.name] = slot.shape;
  EXPECT_EQ(shapes.size(), layout.tensors.size());
  EXPECT_THAT(shapes["conv1.weight"], ElementsAre(16, 3, 3, 3));
  EXPECT_THAT(shapes["depthwise2.weight"], ElementsAre(32, 1, 3, 3));
  EXPECT_THAT(shapes["bn1.weight"], ElementsAre(16));
  EXPECT_THAT(shapes["bn1.running_var"], ElementsAre(16));
  EXPECT_THAT(shapes["fc1.weight"], ElementsAre(10, 512));
  EXPECT_THAT(shapes["fc1.bias"], ElementsAre(10));
}

TEST(Layout, ConvolutionBeforeBatchNormHasNoBias) {
  for (const TensorSlot& slot : layout_of(*zoo("resnet20", kCifar)).tensors) {
    EXPECT_NE(slot.name, "conv1.bias");
  }
}

}  // namespace layout_test
}  // namespace surety::model
