#include "learn/network/network_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "learn/network/network_version.h"
#include "model/layout.h"
#include "model/safetensors.h"
#include "model/zoo.h"

namespace surety::learn {
namespace network_file_test {

using ::testing::HasSubstr;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A network whose parameters are 0, 1, 2, ...
TrainedNetwork network_of(const std::string& name, const std::string& version,
                          const model::Input& input) {
  const auto full = model::zoo(name, input);
  EXPECT_TRUE(full) << full.error().message;
  const auto spec = spec_of_version(*full, version);
  EXPECT_TRUE(spec) << spec.error().message;
  TrainedNetwork network{.spec = *spec, .version = version, .parameters = {}};
  network.parameters.resize(model::layout_of(*spec).size);
  std::iota(network.parameters.begin(), network.parameters.end(), 0.0f);
  return network;
}

TrainedNetwork lenet() {
  return network_of("lenet5", "full", {.channels = 1, .height = 28, .width = 28, .classes = 10});
}

// A file of the network with other metadata; the value "" removes the key.
std::string with(const TrainedNetwork& network, const std::string& key, const std::string& value) {
  const std::vector<std::byte> bytes = write_network(network);
  auto file = model::read_safetensors("f", bytes);
  EXPECT_TRUE(file);
  file->metadata[key] = value;
  if (value.empty()) file->metadata.erase(key);
  model::seal(*file);
  return text_of(model::write_safetensors(*file));
}

TEST(NetworkFile, WhatIsWrittenIsReadAgain) {
  const model::Input image{.channels = 3, .height = 32, .width = 32, .classes = 10};
  const model::Input table{.channels = 1, .height = 1, .width = 44, .classes = 2};
  for (const std::string version : {"full", "prune:0.5"}) {
    for (const std::string& name : model::zoo_names()) {
      for (const model::Input& input : {image, table}) {
        if (!model::zoo(name, input)) continue;  // No convolution fits a table.
        TrainedNetwork network = network_of(name, version, input);
        network.reads_bytes = input == image;
        const auto read = read_network("f", text_of(write_network(network)));
        ASSERT_TRUE(read) << name << ": " << read.error().message;
        EXPECT_EQ(read->spec, network.spec) << name;
        EXPECT_EQ(read->version, version);
        EXPECT_EQ(read->parameters, network.parameters) << name;
        EXPECT_EQ(read->reads_bytes, network.reads_bytes);
      }
    }
  }
}

TEST(NetworkFile, ItSaysWhetherItsWeightsAreAveraged) {
  TrainedNetwork network = lenet();
  EXPECT_FALSE(read_network("f", text_of(write_network(network))).value().averaged);
  network.averaged = true;
  const std::vector<std::byte> bytes = write_network(network);
  EXPECT_TRUE(read_network("f", text_of(bytes)).value().averaged);
  EXPECT_EQ(model::read_safetensors("f", bytes).value().metadata.at("weights"), "averaged");
}

TEST(NetworkFile, TheNamesOfFeaturesComeBackAndAreOptional) {
  TrainedNetwork network =
      network_of("mlp", "full", {.channels = 1, .height = 1, .width = 2, .classes = 2});
  network.reads_bytes = false;
  EXPECT_TRUE(read_network("f", text_of(write_network(network))).value().feature_names.empty());
  network.feature_names = {"height", "age"};
  const auto read = read_network("f", text_of(write_network(network)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->feature_names, network.feature_names);
}

TEST(NetworkFile, AFileThatSaysTooLittleIsRefusedWithWhatToDo) {
  for (const std::string key : {"version", "input", "classes", "values"}) {
    const auto read = read_network("f", with(lenet(), key, ""));
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(read.error().message, HasSubstr("f: found no " + key + " in its metadata"));
    EXPECT_THAT(read.error().message, HasSubstr("Train it again"));
  }
}

TEST(NetworkFile, MetadataThatMakeNoSenseAreRefused) {
  struct Case {
    std::string key;
    std::string value;
    std::string message;
  };
  const std::vector<Case> cases{
      {"network", "lenet6", "lenet5"},
      {"version", "half", "half"},
      {"input", "28x28", "input: found \"28x28\", expected CHANNELSxHEIGHTxWIDTH"},
      {"input", "1x28x28x1", "input: found"},
      {"input", "0x28x28", "input: found"},
      {"input", "1x28x-28", "input: found"},
      {"classes", "1", "classes: found \"1\", expected at least 2"},
      {"weights", "mean", "weights: found \"mean\", expected averaged or none"},
      {"feature_names", "a\nb", "feature_names: found 2 names, expected 784, one per feature"},
      {"values", "words", "values: found \"words\", expected bytes or numbers"},
      // Metadata that do not fit the tensors.
      {"classes", "9", "found shape [10, 84], expected [9, 84]"},
      {"version", "prune:0.5", "expected ["},
      {"network", "mlp", "bytes, expected at least"},
      {"input", "1x2800x2800", "bytes, expected at least"},
  };
  for (const Case& c : cases) {
    const auto read = read_network("f", with(lenet(), c.key, c.value));
    ASSERT_FALSE(read) << c.key << " " << c.value;
    EXPECT_THAT(read.error().message, HasSubstr("f: ")) << c.key;
    EXPECT_THAT(read.error().message, HasSubstr(c.message));
  }
}

TEST(NetworkFile, ACutFileIsRefused) {
  const std::string whole = text_of(write_network(lenet()));
  for (std::size_t length = 0; length < whole.size(); length += length < 3000 ? 61 : 9973) {
    EXPECT_FALSE(read_network("f", whole.substr(0, length))) << length;
    EXPECT_FALSE(is_network_file(whole.substr(0, length))) << length;
  }
  EXPECT_TRUE(is_network_file(whole));
}

TEST(NetworkFile, AWeightThatIsNoFiniteNumberIsRefused) {
  for (const float weight : {NAN, INFINITY}) {
    TrainedNetwork network = lenet();
    network.parameters[network.parameters.size() / 2] = weight;
    const auto read = read_network("f", text_of(write_network(network)));
    ASSERT_FALSE(read) << weight;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(read.error().message, HasSubstr("expected finite numbers"));
  }
}

TEST(NetworkFile, ALinearModelIsNone) {
  EXPECT_FALSE(is_network_file(with(lenet(), "network", "svm")));
  EXPECT_FALSE(is_network_file(with(lenet(), "network", "")));
  EXPECT_FALSE(is_network_file("solver_type L2R_LR\n"));
}

TEST(NetworkInput, IsWhatItHasLearnedFrom) {
  const TrainedNetwork network = lenet();
  data::Schema schema{.channels = 1, .height = 28, .width = 28, .features = 784, .classes = 10};
  EXPECT_TRUE(check_input(network, schema));
  // The same number of values in another shape.
  schema.height = 14, schema.width = 56;
  const auto turned = check_input(network, schema);
  ASSERT_FALSE(turned);
  EXPECT_THAT(turned.error().message,
              HasSubstr("found samples of 1x14x56 (channels x height x width), expected 1x28x28"));
  schema = {.layout = data::Layout::kDenseF32, .width = 784, .features = 784};
  const auto numbers = check_input(network, schema);
  ASSERT_FALSE(numbers);
  EXPECT_THAT(numbers.error().message,
              HasSubstr("found tables of numbers, expected images of bytes"));
}

TEST(NetworkInput, OfNumbersIsATableOfSoManyOrSparseRowsOfAny) {
  TrainedNetwork network =
      network_of("mlp", "full", {.channels = 1, .height = 1, .width = 44, .classes = 2});
  network.reads_bytes = false;
  data::Schema schema{.layout = data::Layout::kDenseF32, .width = 44, .features = 44};
  EXPECT_TRUE(check_input(network, schema));
  schema.width = schema.features = 43;
  EXPECT_FALSE(check_input(network, schema));
  schema.layout = data::Layout::kSparse;
  EXPECT_TRUE(check_input(network, schema));
  schema.layout = data::Layout::kDenseU8;
  EXPECT_FALSE(check_input(network, schema));
}

}  // namespace network_file_test
}  // namespace surety::learn
