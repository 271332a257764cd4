#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

#include "data/formats/open_reader.h"

namespace surety::data {
namespace cifar10_test {

using testing::HasSubstr;

TEST(Cifar10, ReadsLabelsAndPlanes) {
  std::string file = cifar10_file(2, 1);
  file[0] = 9;
  file[1] = '\xff';         // The first red pixel of the first image.
  file[1 + 1024] = '\x07';  // The first green pixel of the first image.
  file[3073] = 0;
  const auto table = read_all("cifar10://b", memory_files({{"b", file}}));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.features, 3072u);
  EXPECT_EQ(table->schema.channels, 3u);
  EXPECT_EQ(table->schema.classes, 10u);
  EXPECT_THAT(table->samples.label, testing::ElementsAre(9, 0));
  ASSERT_EQ(table->samples.u8.size(), 2 * 3072u);
  EXPECT_EQ(table->samples.u8[0], 255);
  EXPECT_EQ(table->samples.u8[1024], 7);
}

TEST(Cifar10, AnEmptyFileHasNoRecords) {
  const auto table = read_all("cifar10://b", memory_files({{"b", ""}}));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->samples.size(), 0u);
}

TEST(Cifar10, RefusalsNameFileRecordFoundAndExpected) {
  // The bad label comes after the reader's first block.
  std::string bad_label = cifar10_file(70, 1);
  bad_label[66 * 3073] = 10;
  EXPECT_THAT(error_of("cifar10://b", {{"b", bad_label}}),
              HasSubstr("b: record 66: found label 10, expected 0 to 9"));
  EXPECT_THAT(
      error_of("cifar10://b", {{"b", cifar10_file(70, 1).substr(0, 66 * 3073 + 5)}}),
      HasSubstr("b: record 66: found 5 bytes, then the end of the file, expected 3073 bytes"));
}

TEST(Cifar10, WithoutLabelsTheirByteIsNotLookedAt) {
  std::string file = cifar10_file(2, 1);
  file[0] = '\xff';
  const auto table =
      read_all("cifar10://b", memory_files({{"b", file}}), 1000000, {.labels = Labels::kNone});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->samples.label, testing::ElementsAre(0, 0));
}

TEST(Cifar10, SkippingFindsACutRecordToo) {
  const auto open = memory_files({{"b", cifar10_file(3, 1).substr(0, 2 * 3073 + 5)}});
  const auto reader = open_reader(parse_url("cifar10://b").value(), open);
  const auto skipped = reader.value()->skip(3);
  ASSERT_FALSE(skipped);
  EXPECT_THAT(skipped.error().message, HasSubstr("b: record 2: found 5 bytes"));
}

}  // namespace cifar10_test
}  // namespace surety::data
