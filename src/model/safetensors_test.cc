#include "model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>

namespace surety::model {
namespace safetensors_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const std::vector<float> kFloats = {1, 2, 3, 4, 5, 6};
const std::vector<std::int64_t> kIntegers = {-1, 1ll << 40};
const std::vector<std::uint8_t> kBytes = {7, 8, 9};

Safetensors sample() {
  return {.tensors = {{"a", view_of(kBytes, {3})},
                      {"w", view_of(kFloats, {2, 3})},
                      {"i", view_of(kIntegers, {2})}},
          .metadata = {{"network", "l\"e\nnet"}, {"version", "full"}}};
}

// A file as the format defines it: length, header, data.
std::vector<std::byte> file_of(std::string_view header, std::size_t data_bytes) {
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes) {
  const auto file = read_safetensors("m.safetensors", bytes);
  return file ? "accepted" : file.error().message;
}

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::vector<float> values = {1.5f};
  const auto bytes = write_safetensors({.tensors = {{"x", view_of(values, {1})}}, .metadata = {}});
  std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  header.resize(56, ' ');  // 54 characters, padded to a multiple of 8.
  auto expected = file_of(header, 4);
  std::memcpy(expected.data() + 64, values.data(), 4);
  EXPECT_EQ(bytes, expected);
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const auto bytes = write_safetensors(sample());
  const auto file = read_safetensors("m", bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->metadata, sample().metadata);
  EXPECT_EQ(file->tensors.size(), 3u);
  EXPECT_THAT(file->tensors.at("w").shape, ElementsAre(2, 3));
  EXPECT_EQ(*floats_of(*file, "w"), kFloats);
  EXPECT_THAT(file->tensors.at("i").bytes, ElementsAreArray(std::as_bytes(std::span(kIntegers))));
  EXPECT_EQ(file->tensors.at("a").bytes[2], std::byte{9});
}

TEST(Safetensors, WideTypesComeFirstSoThatAllAreAligned) {
  const auto bytes = write_safetensors(sample());
  const auto file = read_safetensors("m", bytes);
  EXPECT_EQ((file->tensors.at("i").bytes.data() - bytes.data()) % 8, 0);
  EXPECT_EQ((file->tensors.at("w").bytes.data() - bytes.data()) % 4, 0);
  EXPECT_LT(file->tensors.at("i").bytes.data(), file->tensors.at("w").bytes.data());
  EXPECT_LT(file->tensors.at("w").bytes.data(), file->tensors.at("a").bytes.data());
}

TEST(Safetensors, NothingAtAllIsAFile) {
  const auto bytes = write_safetensors({});
  EXPECT_EQ(refusal(bytes), "accepted");
  EXPECT_EQ(refusal(file_of("{}", 0)), "accepted");
}

TEST(Safetensors, EmptyTensorsAndScalarsAreTensors) {
  const std::vector<float> one = {2};
  const auto bytes = write_safetensors(
      {.tensors = {{"none", view_of(std::span<const float>(), {0, 5})}, {"one", view_of(one, {})}},
       .metadata = {}});
  const auto file = read_safetensors("m", bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(floats_of(*file, "none")->empty());
  EXPECT_THAT(*floats_of(*file, "one"), ElementsAre(2));
}

TEST(Safetensors, CutAnywhereIsCorrupt) {
  const auto bytes = write_safetensors(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto file = read_safetensors("m", std::span(bytes).first(size));
    ASSERT_FALSE(file) << size;
    EXPECT_EQ(file.error().code, ErrorCode::kCorrupt);
  }
}

// Without the seal, a weight with one wrong bit would be accepted as a weight.
TEST(Safetensors, ASealedFileWithAnyOtherBitIsCorrupt) {
  Safetensors sealed = sample();
  seal(sealed);
  auto bytes = write_safetensors(sealed);
  EXPECT_EQ(refusal(bytes), "accepted");
  for (std::size_t i = 1; i <= 43; ++i) {  // All bytes of its tensors.
    std::byte& one = bytes[bytes.size() - i];
    one ^= std::byte{1};
    EXPECT_THAT(refusal(bytes), HasSubstr("m.safetensors: found checksum"));
    one ^= std::byte{1};
  }
}

// The labels in the metadata are as much a part of a model as its weights.
TEST(Safetensors, ASealedFileWithOtherMetadataOrShapesIsCorrupt) {
  Safetensors sealed = sample();
  seal(sealed);
  Safetensors labelled = sealed;
  Safetensors bent = sealed;
  labelled.metadata["labels"] = "1 0";
  bent.tensors.at("w").shape = {3, 2};
  EXPECT_THAT(refusal(write_safetensors(labelled)), HasSubstr("found checksum"));
  EXPECT_THAT(refusal(write_safetensors(bent)), HasSubstr("found checksum"));
}

TEST(Safetensors, BytesBehindTheTensorsAreCorrupt) {
  auto bytes = write_safetensors(sample());
  bytes.push_back(std::byte{0});
  EXPECT_THAT(refusal(bytes), HasSubstr("m.safetensors: found 43 bytes of tensors, expected 44"));
}

struct Malformed {
  const char* what;
  std::string header;
  std::size_t data_bytes;
  const char* message;
};

std::string tensor(std::string_view fields) { return fmt::format(R"({{"x":{{{}}}}})", fields); }

const Malformed kMalformed[] = {
    {"text", "hello", 0, "line 1: found text that is not JSON"},
    {"list", "[]", 0, "not a JSON object"},
    {"deep", std::string(100'000, '['), 0, "nest deeper than 64 levels"},
    {"bad utf-8", "{\"\xff\":1}", 0, "found text that is not JSON"},
    {"tensor is a number", R"({"x":1})", 0, "tensor 'x' has no dtype"},
    {"no dtype", tensor(R"("shape":[],"data_offsets":[0,4])"), 4, "tensor 'x' has no dtype"},
    {"dtype", tensor(R"("dtype":"F8","shape":[],"data_offsets":[0,1])"), 1, "found dtype F8"},
    {"no shape", tensor(R"("dtype":"F32","data_offsets":[0,4])"), 4, "'shape' is not a list"},
    {"negative", tensor(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), 4, "'shape' is not"},
    {"real", tensor(R"("dtype":"F32","shape":[1.0],"data_offsets":[0,4])"), 4, "'shape' is not"},
    {"shape is text", tensor(R"("dtype":"F32","shape":"1","data_offsets":[0,4])"), 4, "'shape' is"},
    {"no offsets", tensor(R"("dtype":"F32","shape":[1])"), 4, "'data_offsets' is not a list"},
    {"one offset", tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4])"), 4, "found offsets"},
    {"reversed", tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), 4, "offsets [4, 0]"},
    {"beyond", tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), 4, "within 4"},
    {"shape and size", tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), 4,
     "found 4 bytes for shape [2] of F32"},
    {"overflow", tensor(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0,
     "found 0 bytes for shape"},
    {"gap", tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), 8, "begins at byte 4"},
    {"overlap",
     R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},
         "y":{"dtype":"U8","shape":[3],"data_offsets":[2,5]}})",
     5, "'y' begins at byte 2, expected 3"},
    {"empty one inside",
     R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},
         "y":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
     3, "'y' begins at byte 2, expected 3"},
    {"same bytes twice",
     R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},
         "y":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
     3, "found 6 bytes of tensors, expected 3"},
    {"same name twice",
     R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
         "x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
     1, "the header: x: found twice in one object"},
    {"metadata", R"({"__metadata__":1})", 0, "__metadata__ is not a JSON object"},
    {"metadata value", R"({"__metadata__":{"n":1}})", 0, "'n' is not a string"},
};

TEST(Safetensors, EachMalformedHeaderIsRefusedWithWhatIsWrong) {
  for (const Malformed& malformed : kMalformed) {
    EXPECT_THAT(refusal(file_of(malformed.header, malformed.data_bytes)),
                HasSubstr(malformed.message))
        << malformed.what;
  }
}

TEST(Safetensors, HeaderLengthIsCheckedBeforeAnythingIsRead) {
  auto bytes = file_of("{}", 0);
  for (const std::uint64_t length : {std::uint64_t{3}, ~std::uint64_t{0}}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_THAT(refusal(bytes), HasSubstr("expected at most 2"));
  }
}

TEST(Safetensors, WrongTypeOrNameIsSaid) {
  const auto bytes = write_safetensors(sample());
  const auto file = read_safetensors("m", bytes);
  EXPECT_THAT(floats_of(*file, "i").error().message, HasSubstr("'i': found I64, expected F32"));
  EXPECT_THAT(floats_of(*file, "q").error().message, HasSubstr("no tensor 'q'"));
}

}  // namespace safetensors_test
}  // namespace surety::model
