#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

#include "data/formats/open_reader.h"

namespace surety::data {
namespace idx_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kUrl = "idx://i?labels=l";

Files files(std::string images, std::string labels) {
  return {{"i", std::move(images)}, {"l", std::move(labels)}};
}

TEST(Idx, ReadsImagesAndLabels) {
  const auto table =
      read_all(kUrl, memory_files(files(idx_file({2, 1, 3}, "\x01\x02\x03\xfd\xfe\xff"),
                                        idx_file({2}, {"\x04\x00", 2}))));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema, (Schema{.layout = Layout::kDenseU8,
                                   .channels = 1,
                                   .height = 1,
                                   .width = 3,
                                   .features = 3,
                                   .classes = 5}));
  EXPECT_THAT(table->samples.u8, ElementsAre(1, 2, 3, 253, 254, 255));
  EXPECT_THAT(table->samples.label, ElementsAre(4, 0));
}

TEST(Idx, FourDimensionsHaveChannels) {
  const auto table =
      read_all(kUrl, memory_files(files(idx_file({1, 2, 1, 3}, "abcdef"), idx_file({1}, "\x01"))));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.channels, 2u);
  EXPECT_EQ(table->schema.features, 6u);
}

TEST(Idx, LabelsLieBesideImagesOfTheUsualName) {
  const auto table = read_all("idx://train-images-idx3-ubyte",
                              memory_files({{"train-images-idx3-ubyte", idx_file({1, 1, 1}, "a")},
                                            {"train-labels-idx1-ubyte", idx_file({1}, "\x03")}}));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->samples.label, ElementsAre(3));
}

TEST(Idx, RefusalsNameFileRecordFoundAndExpected) {
  const std::string images = idx_file({3, 1, 2}, "abcdef");
  const std::string labels = idx_file({3}, "\x01\x02\x03");
  const std::tuple<std::string, std::string, std::vector<std::string>> cases[] = {
      {"", labels, {"i: found only a few bytes", "expected an IDX file"}},
      {"abcdefgh", labels, {"i: found many bytes beginning 61626364"}},
      {std::string("\0\0\x0d\x03", 4), labels, {"beginning 00000d03"}},
      {idx_file({}, ""), labels, {"i: found 0 dimensions, expected 1 to 4"}},
      {idx_file({1, 1, 1, 1, 1}, "a"), labels, {"found 5 dimensions"}},
      {images.substr(0, 14), labels, {"i: found 2 of 3 dimensions, then the end of the file"}},
      {idx_file({3, 2}, "abcdef"), labels, {"i: found 2 dimensions, expected 3 or 4"}},
      {idx_file({3, 0, 2}, ""), labels, {"i: found images of 1 x 0 x 2 values"}},
      {idx_file({3, 65536, 65536}, ""), labels, {"found images of 1 x 65536 x 65536 values"}},
      {images, images, {"l: found 3 dimensions, expected 1 of labels"}},
      {images, idx_file({2}, "\x01\x02"), {"l: found 2 labels, expected 3, one per image of i"}},
      {images,
       idx_file({3}, "\x01\x02"),
       {"l: record 2: found the end of the file, expected 3 labels"}},
      {images, labels + "x", {"l: found bytes after the last record", "says 3 records"}},
      {images + "x", labels, {"i: found bytes after the last record", "says 3 records"}},
      {images.substr(0, images.size() - 3),
       labels,
       {"i: record 1: found 1 bytes, then the end of the file, expected 2 bytes"}},
      {idx_file({0, 1, 2}, "ab"), idx_file({0}, ""), {"i: found bytes after the last record"}}};
  for (const auto& [image_file, label_file, parts] : cases) {
    const std::string error = error_of(kUrl, files(image_file, label_file));
    for (const std::string& part : parts) EXPECT_THAT(error, HasSubstr(part));
  }
}

TEST(IdxWithoutLabels, NoFileOfLabelsIsOpened) {
  const Files usual{{"t-images-idx3", idx_file({2, 1, 1}, "ab")}};
  const auto none =
      read_all("idx://t-images-idx3", memory_files(usual), 1, {.labels = Labels::kNone});
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_THAT(none->samples.u8, ElementsAre('a', 'b'));
  EXPECT_THAT(none->samples.label, ElementsAre(0, 0));
  const Files unusual{{"i", idx_file({2, 1, 1}, "ab")}};
  EXPECT_TRUE(read_all("idx://i", memory_files(unusual), 1, {.labels = Labels::kIfNamed}));
  EXPECT_THAT(error_of("idx://t-images-idx3", usual, {.labels = Labels::kIfNamed}),
              HasSubstr("t-labels-idx1: no such file; if the samples have no labels, add"));
}

TEST(Idx, UnusualNamesNeedTheLabelsOption) {
  EXPECT_THAT(error_of("idx://i", files("", "")), HasSubstr("i: found no images-idx3 in the name"));
}

TEST(Idx, AHeaderThatClaimsTooManyRecordsDoesNotAllocateThem) {
  constexpr std::uint32_t kClaimed = 4'000'000'000;
  EXPECT_THAT(
      error_of(kUrl, files(idx_file({kClaimed, 28, 28}, "few"), idx_file({kClaimed}, "few"))),
      HasSubstr("l: record 3: found the end of the file, expected 4000000000 labels"));

  // The labels are complete, but the images are not: the header claims 2 GiB, and the file has 2
  // MiB.
  constexpr std::uint32_t kRecords = 2048;
  const auto open = memory_files(files(idx_file({kRecords, 1024, 1024}, std::string(2 << 20, 'a')),
                                       idx_file({kRecords}, std::string(kRecords, '\1'))));
  const auto reader = open_reader(parse_url(kUrl).value(), open);
  Samples samples;
  const auto count = reader.value()->read(kRecords, samples);
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message, HasSubstr("i: record 2: found 0 bytes, then the end"));
  EXPECT_LE(samples.u8.capacity(), 8u << 20);
}

}  // namespace idx_test
}  // namespace surety::data
