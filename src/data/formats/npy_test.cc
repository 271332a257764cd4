#include <limits>

#include "data/formats/npy_header.h"
#include "data/formats/open_reader.h"
#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace npy_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kUrl = "npy://x?labels=y";

// Two records of two values, which are given as bytes of the file.
Result<Table> read_two(std::string_view type, const std::string& values) {
  return read_all(kUrl, memory_files({{"x", npy_file(npy_header_text(type, "2, 2"), values)},
                                      {"y", npy_file(npy_header_text("<i8", "2,"),
                                                     bytes_of_values<std::int64_t>({1, 0}))}}));
}

TEST(Npy, NumbersOfEachTypeBecomeFloats) {
  const auto floats = {1.5f, -2.0f, 0.0f, 8.0f};
  const std::pmr::vector<float> expected(floats);
  EXPECT_EQ(read_two("<f4", bytes_of_values<float>(floats)).value().samples.f32, expected);
  EXPECT_EQ(read_two("<f8", bytes_of_values<double>({1.5, -2, 0, 8})).value().samples.f32,
            expected);
  EXPECT_THAT(read_two("<i4", bytes_of_values<std::int32_t>({1, -2, 0, 8})).value().samples.f32,
              ElementsAre(1, -2, 0, 8));
  EXPECT_THAT(read_two("<i8", bytes_of_values<std::int64_t>({1, -2, 0, 8})).value().samples.f32,
              ElementsAre(1, -2, 0, 8));
}

TEST(Npy, UnsignedBytesStayBytes) {
  const auto table = read_two("|u1", "\x01\x02\xfe\xff");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.layout, Layout::kDenseU8);
  EXPECT_THAT(table->samples.u8, ElementsAre(1, 2, 254, 255));
  EXPECT_THAT(table->samples.label, ElementsAre(1, 0));
  EXPECT_EQ(table->schema.classes, 2u);
}

TEST(Npy, AllThreeVersionsAreRead) {
  for (const char version : {1, 2, 3}) {
    const auto table = read_all(
        kUrl, memory_files({{"x", npy_file(npy_header_text("|u1", "1, 2, 3"), "abcdef", version)},
                            {"y", npy_file(npy_header_text("|u1", "1,"), "\x01", version)}}));
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->schema.height, 2u);
    EXPECT_EQ(table->schema.width, 3u);
    EXPECT_EQ(table->schema.features, 6u);
  }
}

TEST(NpyHeader, KeysMayComeInAnyOrder) {
  const auto header =
      parse_npy_header("{\"shape\": (3,4), 'fortran_order':False ,'descr':'<f8'}  \n");
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->type, NpyType::kF8);
  EXPECT_THAT(header->shape, ElementsAre(3, 4));
}

TEST(NpyHeader, RefusesEverythingElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected {"},
      {"{", "expected 'KEY': VALUE, or }"},
      {"{}", "found no descr"},
      {"{'descr': '<f4', 'fortran_order': False}", "found no shape"},
      {"{'descr': '<f4', 'shape': (1,)}", "found no fortran_order"},
      {"{'descr': '>f4'", "found type \">f4\", expected one of |u1"},
      {"{'descr': [('a', '<f4')]", "expected a type such as '<f4'"},
      {"{'descr': '<f4\\''", "expected a type"},
      {"{'fortran_order': True, 'shape': (3,)}",
       "header: found 'fortran_order': True, expected False: save"},
      {"{'fortran_order': 1", "expected True or False"},
      {"{'descr': '<f4', 'descr': '<f4'", "found key \"descr\", expected descr,"},
      {"{'size': 3", "found key \"size\""},
      {"{'shape': ()", "expected at least one dimension"},
      {"{'shape': (3)", "expected a comma after a single size"},
      {"{'shape': (3 4)", "expected sizes separated by commas"},
      {"{'shape': (-3,)", "expected sizes separated by commas"},
      {"{'shape': (3.5,)", "expected sizes separated by commas"},
      {"{'shape': (4294967296, 4294967296)", "expected fewer than 2^63 values"},
      {"{'shape': (99999999999999999999,)", "expected sizes separated by commas"},
      {"{'shape': 3", "expected a shape in parentheses"},
      {"{'descr': '<f4' 'shape': (3,)", "expected 'KEY': VALUE, or }"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", "expected the end"}};
  for (const auto& [text, part] : cases) {
    const auto header = parse_npy_header(text);
    ASSERT_FALSE(header) << text;
    EXPECT_THAT(header.error().message, HasSubstr(part)) << text;
  }
}

TEST(Npy, RefusalsNameFileRecordFoundAndExpected) {
  const std::string x = npy_file(npy_header_text("|u1", "3, 2"), "abcdef");
  const std::string y = npy_file(npy_header_text("|u1", "3,"), "\1\2\3");
  const auto x_of = [](const char* type, const char* shape) {
    return npy_file(npy_header_text(type, shape), std::string(48, '\0'));
  };
  std::string version_9 = x;
  version_9[6] = 9;
  const std::string nan = bytes_of_values({1.0f, 1.0f, 1.0f, NAN, 1.0f, 1.0f});
  const std::string huge = bytes_of_values({0.0, 0.0, 0.0, 0.0, 0.0, 1e300});
  const std::tuple<std::string, std::string, const char*> cases[] = {
      {"", y, "x: found no \"\\x93NUMPY\" at the beginning"},
      {"\x93NUMPX\1\0 ", y, "x: found no \"\\x93NUMPY\""},
      {version_9, y, "x: found format version 9, expected 1, 2 or 3"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12), y,
       "x: found a header of 2147483647 bytes"},
      {x.substr(0, 9), y, "x: found a header of"},
      {x.substr(0, 30), y, "x: found 20 bytes of header, expected 118"},
      {npy_file("{'descr': '<c8'", ""), y, "x: header: found type \"<c8\""},
      {x_of("|u1", "3,"), y, "x: found an array of 1 dimensions, expected 2, or 3 or 4"},
      {x_of("<f4", "3, 2, 2"), y, "x: found an array of 3 dimensions"},
      {x_of("|u1", "3, 0"), y, "x: found samples of 0 values, expected at least one"},
      {x_of("<f8", "3, 200000000"), y, "x: found samples of 200000000 values"},
      {x, npy_file(npy_header_text("|u1", "2,"), "\1\2"), "y: found shape (2), expected (3,)"},
      {x, npy_file(npy_header_text("|u1", "3, 1"), "\1\2\3"), "y: found shape (3, 1)"},
      {x, y.substr(0, y.size() - 1), "y: record 2: found the end of the file, expected 3 labels"},
      {x, y + "x", "y: found bytes after the last record"},
      {x + "x", y, "x: found bytes after the last record"},
      {x.substr(0, x.size() - 3), y,
       "x: record 1: found 1 bytes, then the end of the file, expected 2 bytes"},
      {npy_file(npy_header_text("<f4", "3, 2"), nan), y, "x: record 1: value 1: found nan"},
      {npy_file(npy_header_text("<f8", "3, 2"), huge), y, "x: record 2: value 1: found inf"}};
  for (const auto& [features, labels, part] : cases) {
    EXPECT_THAT(error_of(kUrl, {{"x", features}, {"y", labels}}), HasSubstr(part));
  }
  EXPECT_THAT(error_of("npy://x", {{"x", x}}), HasSubstr("x: found no labels, expected npy://x?"));
}

TEST(NpyWithoutLabels, OnlyTheFeaturesAreRead) {
  const std::string x =
      npy_file(npy_header_text("<f4", "2, 2"), bytes_of_values<float>({1, 2, 3, 4}));
  for (const Labels labels : {Labels::kIfNamed, Labels::kNone}) {
    const auto table = read_all("npy://x", memory_files({{"x", x}}), 1, {.labels = labels});
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(table->samples.f32, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(table->samples.label, ElementsAre(0, 0));
    EXPECT_EQ(table->schema.classes, 0u);
  }
  EXPECT_THAT(error_of(kUrl, {{"x", x}}, {.labels = Labels::kIfNamed}), HasSubstr("y: no such"));
}

TEST(Npy, AHeaderThatClaimsTooManyRecordsDoesNotAllocateThem) {
  const std::string x = npy_file(npy_header_text("<f4", "4000000000, 784"), "few bytes");
  const std::string y = npy_file(npy_header_text("<f4", "4000000000,"), "only a few");
  EXPECT_THAT(error_of(kUrl, {{"x", x}, {"y", y}}), HasSubstr("y: record 2: found the end"));

  // The labels are complete, but the features are not: the header claims 8 GiB, and the file has 2
  // MiB.
  const auto open = memory_files(
      {{"x", npy_file(npy_header_text("<f4", "2048, 1048576"), std::string(2 << 20, '\0'))},
       {"y", npy_file(npy_header_text("|u1", "2048,"), std::string(2048, '\1'))}});
  const auto reader = open_reader(parse_url(kUrl).value(), open);
  Samples samples;
  const auto count = reader.value()->read(2048, samples);
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message, HasSubstr("x: record 0: found 2097152 bytes, then the end"));
  EXPECT_LE(samples.f32.capacity(), 2u << 20);
  EXPECT_THAT(error_of("npy://x", {{"x", x}}, {.labels = Labels::kNone}),
              HasSubstr("x: record 0: found 9 bytes, then the end of the file"));
}

}  // namespace npy_test
}  // namespace surety::data
