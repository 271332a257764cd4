#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/initial.h"
#include "model/prune.h"
#include "model/safetensors.h"
#include "model/zoo.h"

namespace surety::model {
namespace model_file_test {

using ::testing::HasSubstr;

TEST(ModelFile, ParametersComeBackBitForBit) {
  for (const std::string& name : zoo_names()) {
    const NetSpec spec = *zoo(name, {1, 28, 28, 10});
    const auto parameters = initial_parameters(spec, 1);
    const auto read = read_model("m", write_model(spec, parameters, {}), spec);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, parameters);
  }
}

TEST(ModelFile, TensorsHaveTheNamesOfTheLayoutAndTextIsBeside) {
  const NetSpec spec = *zoo("lenet5", {1, 28, 28, 10});
  const auto bytes = write_model(spec, initial_parameters(spec, 1), {{"version", "full"}});
  const auto file = read_safetensors("m", bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->tensors.size(), 10u);
  EXPECT_EQ(file->tensors.at("conv2.weight").shape, (std::vector<std::uint64_t>{16, 6, 5, 5}));
  EXPECT_EQ(file->metadata.at("network"), "lenet5");
  EXPECT_EQ(file->metadata.at("version"), "full");
}

TEST(ModelFile, AnotherVersionOfTheNetworkIsRefusedByShape) {
  const NetSpec spec = *zoo("lenet5", {1, 28, 28, 10});
  const auto bytes = write_model(spec, initial_parameters(spec, 1), {});
  const auto read = read_model("m", bytes, pruned_spec(spec, 0.5));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(read.error().message, HasSubstr("m: network lenet5: tensor 'conv1.weight': found "
                                              "shape [6, 1, 5, 5], expected [3, 1, 5, 5]"));
}

TEST(ModelFile, MissingTensorIsNamed) {
  const auto read = read_model("m", write_safetensors({}), *zoo("lenet5", {1, 28, 28, 10}));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("no tensor 'conv1.weight'"));
}

}  // namespace model_file_test
}  // namespace surety::model
