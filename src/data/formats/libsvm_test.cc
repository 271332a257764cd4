#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace libsvm_test {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Table> read_text(const std::string& text) {
  return read_all("libsvm://s", memory_files({{"s", text}}));
}

TEST(Libsvm, ReadsRowsWithIndicesFromZero) {
  const auto table = read_text("1 1:0.5 3:-2e1\n0\n2\t7:1 \n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.layout, Layout::kSparse);
  EXPECT_EQ(table->schema.features, 7u);
  EXPECT_EQ(table->schema.classes, 3u);
  EXPECT_THAT(table->samples.label, ElementsAre(1, 0, 2));
  EXPECT_THAT(table->samples.index, ElementsAre(0, 2, 6));
  EXPECT_THAT(table->samples.f32, ElementsAre(0.5f, -20.0f, 1.0f));
  EXPECT_THAT(table->samples.row_begin, ElementsAre(0, 2, 2, 3));
}

TEST(Libsvm, EmptyLinesAndCommentsAreNoData) {
  const auto table = read_text("\n# all of it\n+1 2:3 # the rest 9:9\r\n   \n-1 1:4");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->samples.label, ElementsAre(1, -1));
  EXPECT_THAT(table->samples.index, ElementsAre(1, 0));
}

TEST(Libsvm, OnlyCountingNumbersAreClasses) {
  const std::pair<const char*, std::uint32_t> cases[] = {
      {"0\n1\n", 2},      {"5\n", 6},     {"-1\n1\n", 0}, {"0.5\n1\n", 0},
      {"65535\n", 65536}, {"65536\n", 0}, {"1e0\n", 2},   {"", 0}};
  for (const auto& [text, classes] : cases) {
    EXPECT_EQ(read_text(text).value().schema.classes, classes) << text;
  }
}

TEST(Libsvm, RefusalsNameFileLineFoundAndExpected) {
  const std::pair<const char*, const char*> cases[] = {
      {"one 1:2", "s: line 1: found \"one\", expected a number as the label"},
      {"nan 1:2", "s: line 1: found \"nan\", expected a number as the label"},
      {"1e99 1:2", "s: line 1: found \"1e99\", expected a number as the label"},
      {"1 1:2\n\n1:2", "s: line 3: found \"1:2\", expected a number as the label"},
      {"1 0:2", "found \"0:2\", expected INDEX:VALUE with an index of 1 to 999999999"},
      {"1 -1:2", "found \"-1:2\", expected INDEX:VALUE"},
      {"1 1000000000:2", "found \"1000000000:2\", expected INDEX:VALUE"},
      {"1 7", "found \"7\", expected INDEX:VALUE"},
      {"1 qid:3 1:2", "found \"qid:3\", expected INDEX:VALUE"},
      {"1 2:1 2:1", "found \"2:1\", expected an index above 2"},
      {"1 3:1 2:1", "found \"2:1\", expected an index above 3"},
      {"1 3:", "found \"3:\", expected a finite number"},
      {"1 3: 4", "found \"3:\", expected a finite number"},
      {"1 3:4x", "found \"3:4x\", expected a finite number"},
      {"1 3:inf", "found \"3:inf\", expected a finite number"},
      {"1 3:1e39", "found \"3:1e39\", expected a finite number"}};
  for (const auto& [text, part] : cases) {
    EXPECT_THAT(error_of("libsvm://s", {{"s", text}}), HasSubstr(part));
  }
}

Result<Table> read_without_labels(const std::string& text) {
  return read_all("libsvm://s", memory_files({{"s", text}}), 2, {.labels = Labels::kNone});
}

TEST(LibsvmWithoutLabels, ANumberBeforeTheFeaturesIsNotUsed) {
  const std::string pairs = "1:0.5 3:2\n2:7 # 9:9\n# a comment\n3:1";
  const std::string numbers = "0 1:0.5 3:2\n-1 2:7\n5.5 3:1\n";
  for (const std::string& text : {pairs, numbers}) {
    const auto table = read_without_labels(text);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->schema.features, 3u);
    EXPECT_EQ(table->schema.classes, 0u);
    EXPECT_THAT(table->samples.label, ElementsAre(0, 0, 0));
    EXPECT_THAT(table->samples.index, ElementsAre(0, 2, 1, 2));
    EXPECT_THAT(table->samples.f32, ElementsAre(0.5f, 2.0f, 7.0f, 1.0f));
  }
  EXPECT_EQ(read_without_labels("0\n1:2\n").value().samples.size(), 2u);
}

TEST(LibsvmWithoutLabels, AnEmptyLineIsRefusedBecauseItMayBeASample) {
  for (const char* text : {"1:2\n\n1:3\n", "1:2\n  \n", "\n1:2\n"}) {
    const auto table = read_without_labels(text);
    ASSERT_FALSE(table) << text;
    EXPECT_THAT(table.error().message,
                HasSubstr("found an empty line, expected INDEX:VALUE, or the number 0"));
  }
}

TEST(LibsvmWithoutLabels, WordsAreRefusedAndTheHintIsForThoseWhoMayHaveNone) {
  EXPECT_THAT(error_of("libsvm://s", {{"s", "one 1:2"}}, {.labels = Labels::kNone}),
              HasSubstr("s: line 1: found \"one\", expected INDEX:VALUE"));
  const std::string hint = "; if the samples have no labels, add --no-labels";
  EXPECT_THAT(error_of("libsvm://s", {{"s", "1:2"}}, {.labels = Labels::kIfNamed}),
              HasSubstr("expected a number as the label" + hint));
  EXPECT_THAT(error_of("libsvm://s", {{"s", "1:2"}}), testing::Not(HasSubstr(hint)));
}

}  // namespace libsvm_test
}  // namespace surety::data
