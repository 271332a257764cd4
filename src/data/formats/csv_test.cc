#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace csv_test {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Table> read_text(const std::string& text) {
  return read_all("csv://t?label=y", memory_files({{"t", text}}));
}

TEST(Csv, TheLabelColumnIsTakenOutAndTheOthersKeepTheirOrder) {
  const auto table = read_text("a,y,b\n1,0,2\n-3.5,1,4e-1\n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.layout, Layout::kDenseF32);
  EXPECT_EQ(table->schema.features, 2u);
  EXPECT_EQ(table->schema.classes, 2u);
  EXPECT_THAT(table->samples.f32, ElementsAre(1.0f, 2.0f, -3.5f, 0.4f));
  EXPECT_THAT(table->samples.label, ElementsAre(0, 1));
}

TEST(Csv, QuotesSpacesLineEndsAndByteOrderMarksAreRead) {
  const auto table = read_text("\xef\xbb\xbf\"a, \"\"b\"\"\" , y\r\n \"1.5\" ,\t2\r\n\r\n3,\"4\"");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->samples.f32, ElementsAre(1.5f, 3.0f));
  EXPECT_THAT(table->samples.label, ElementsAre(2, 4));
}

TEST(Csv, RealLabelsAreNoClasses) {
  EXPECT_EQ(read_text("a,y\n1,0.5\n1,1\n").value().schema.classes, 0u);
}

TEST(Csv, RefusalsOfRowsNameFileLineColumnFoundAndExpected) {
  const std::pair<const char*, const char*> cases[] = {
      {"a,y\n1,2\nx,1\n", "t: line 3: column \"a\": found \"x\", expected a number"},
      {"a,y\n1,\n", "t: line 2: column \"y\": found an empty cell, expected a number"},
      {"a,y\n,1\n", "t: line 2: column \"a\": found an empty cell"},
      {"a,y\n1 2,1\n", "column \"a\": found \"1 2\", expected a number"},
      {"a,y\nnan,1\n", "column \"a\": found \"nan\", expected a number"},
      {"a,y\n1e99,1\n", "column \"a\": found \"1e99\", expected a number"},
      {"a,y\n\"1,1\n", "column \"a\": found \"\"1,1\", expected a number"},
      {"a,y\n\"1\"2,1\n", "column \"a\": found \"\"1\"2,1\", expected a number"},
      {"a,y\n1\n", "t: line 2: found 1 cells, expected 2"},
      {"a,y\n\n1,2,3\n", "t: line 3: found 3 cells, expected 2"},
      {"a,y\n1,2,\n", "t: line 2: found 3 cells, expected 2"}};
  for (const auto& [text, part] : cases) {
    EXPECT_THAT(error_of("csv://t?label=y", {{"t", text}}), HasSubstr(part));
  }
}

TEST(Csv, RefusalsOfHeadersSayWhatTheColumnsAre) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"csv://t?label=y", "", "t: line 1: found nothing, expected the names of the columns"},
      {"csv://t?label=y", " \n1,2\n", "t: line 1: found nothing"},
      {"csv://t?label=y", "a,\"y\n1,2\n", "t: line 1: column 2: found \"\"y\""},
      {"csv://t", "a,y\n1,2\n",
       "found no label column, expected csv://t?label=COLUMN, one of a, y"},
      {"csv://t?label=incme", "age,income\n1,2\n",
       "found no column \"incme\", expected one of age, income; did you mean \"income\"?"},
      {"csv://t?label=y", "y\n1\n",
       "found only the label's column, expected at least one feature"}};
  for (const auto& [url, text, part] : cases) {
    EXPECT_THAT(error_of(url, {{"t", text}}), HasSubstr(part));
  }
}

TEST(Csv, TwoColumnsOfOneNameAreRefusedWithFileLineAndName) {
  const std::pair<const char*, const char*> cases[] = {
      {"y,a,y\n1,2,3\n", "t: line 1: found column \"y\" twice, as columns 1 and 3, expected"},
      {"a,\"b\",y, b\n1,2,3,4\n", "t: line 1: found column \"b\" twice, as columns 2 and 4"},
      {",,y\n1,2,3\n", "t: line 1: found column \"\" twice, as columns 1 and 2"}};
  for (const auto& [text, part] : cases) {
    EXPECT_THAT(error_of("csv://t?label=y", {{"t", text}}), HasSubstr(part));
  }
  EXPECT_EQ(read_text("b,B,y\n1,2,3\n").value().samples.label.size(), 1u);
}

}  // namespace csv_test
}  // namespace surety::data
