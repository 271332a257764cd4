#include "data/formats/open_reader.h"
#include "data/url.h"
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
      {"a,y\n1,2\nx,1\n",
       "t: line 3: column \"a\": found \"x\", expected a number: write a category as columns of 0 "
       "and 1"},
      {"a,y\n1,\n",
       "t: line 2: column \"y\": found an empty cell, expected a number: fill in the missing "
       "value"},
      {"a,y\n1,yes\n",
       "t: line 2: column \"y\": found \"yes\", expected a number: write classes as 0, 1"},
      {"a,y\n,1\n", "t: line 2: column \"a\": found an empty cell"},
      {"a,y\nNA,1\n", "found \"NA\", expected a number: fill in the missing value, or remove"},
      {"a,y\n?,1\n", "found \"?\", expected a number: fill in the missing value, or remove"},
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
      {"csv://t?label=y", "a;y\n1;2\n",
       "t: line 1: found columns that are separated by \";\", expected commas"},
      {"csv://t?label=y", "a\ty\n1\t2\n", "separated by tabs, expected commas"},
      {"csv://t?label=y", "y\n1\n",
       "found only the label's column, expected at least one feature"}};
  for (const auto& [url, text, part] : cases) {
    EXPECT_THAT(error_of(url, {{"t", text}}), HasSubstr(part));
  }
}

TEST(Csv, LongNamesAndValuesAreCutInRefusals) {
  const std::string longer(1'000'000, 'x');
  const std::string header = "a" + longer + ",b" + longer + ",y\n";
  EXPECT_LT(error_of("csv://t", {{"t", header}}).size(), 1000u);
  EXPECT_LT(error_of("csv://t?label=z", {{"t", header}}).size(), 1000u);
  EXPECT_LT(error_of("csv://t?label=y", {{"t", "a,y\n" + longer + ",1\n"}}).size(), 1000u);
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

Result<Table> read_by_name(const std::string& url, const std::string& text,
                           const std::vector<std::string>& columns,
                           Labels labels = Labels::kIfNamed) {
  return read_all(url, memory_files({{"t", text}}), 2, {.labels = labels, .columns = columns});
}

TEST(CsvByName, FeaturesHaveTheOrderOfTheWantedNames) {
  const auto table = read_by_name("csv://t?label=y", "b,y,a\n1,7,2\n3,8,4\n5,9,6\n", {"a", "b"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->schema.features, 2u);
  EXPECT_THAT(table->samples.f32, ElementsAre(2, 1, 4, 3, 6, 5));
  EXPECT_THAT(table->samples.label, ElementsAre(7, 8, 9));
}

TEST(CsvByName, OtherColumnsMayHaveAnyContentAndAreTold) {
  const std::string text = "city,b,\"the date\",a\n\"Bonn, R\",1,2024-01-01,2\n,3,nan,4\n";
  const auto table = read_by_name("csv://t", text, {"a", "b"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->samples.f32, ElementsAre(2, 1, 4, 3));
  const auto reader = open_reader(parse_url("csv://t").value(), memory_files({{"t", text}}),
                                  {.labels = Labels::kIfNamed, .columns = {"a", "b"}});
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_THAT((*reader)->ignored_columns(), ElementsAre("city", "the date"));
  EXPECT_THAT((*reader)->columns(), ElementsAre("a", "b"));
  EXPECT_EQ((*reader)->name_of_feature(0), "column \"a\"");
}

TEST(CsvByName, RefusalsNameTheColumnAndWhatTheModelNeeds) {
  const ReadOptions wanted{.labels = Labels::kIfNamed, .columns = {"age", "height"}};
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"csv://t", "age,heigth\n1,2\n",
       "t: line 1: found no column height, expected each feature of the model: age, height; is the "
       "column \"heigth\" meant?"},
      {"csv://t", "a,b\n1,2\n", "t: line 1: found no column age, height, expected each"},
      {"csv://t?label=age", "age,height\n1,2\n",
       "t: found label=age, expected the column of the labels: this one is a feature"},
      {"csv://t?label=y", "age,height\n1,2\n", "t: line 1: found no column \"y\""},
      {"csv://t", "age,city,height\n1,Bonn\n", "t: line 2: found 2 cells, expected 3"},
      {"csv://t", "age,city,height\n1,\"Bonn,2\n", "column \"city\": found \"\"Bonn,2\""},
      {"csv://t", "age,height\n1,tall\n", "column \"height\": found \"tall\", expected a number"}};
  for (const auto& [url, text, part] : cases) {
    EXPECT_THAT(error_of(url, {{"t", text}}, wanted), HasSubstr(part));
  }
}

TEST(CsvWithoutLabels, AllColumnsAreFeaturesAndLabelsAreZero) {
  for (const Labels labels : {Labels::kIfNamed, Labels::kNone}) {
    const auto table = read_by_name("csv://t", "a,b\n1,2\n3,4\n", {}, labels);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(table->samples.f32, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(table->samples.label, ElementsAre(0, 0));
    EXPECT_EQ(table->schema.classes, 0u);
  }
}

// Only the names show whether the first line is a header or a sample.
TEST(CsvWithoutLabels, AFirstLineOfNumbersIsNoHeader) {
  const ReadOptions by_place{.labels = Labels::kIfNamed};
  EXPECT_THAT(error_of("csv://t", {{"t", "0.5,-1e3\n1,2\n"}}, by_place),
              HasSubstr("t: line 1: found only numbers, expected the names of the columns"));
  EXPECT_TRUE(read_by_name("csv://t", "0,1\n5,6\n", {"1", "0"}));
  EXPECT_TRUE(read_by_name("csv://t?label=1", "0,1\n5,6\n", {}));
}

TEST(Csv, NamesThatAreTooLongOrNotUtf8AreRefused) {
  EXPECT_THAT(error_of("csv://t?label=y", {{"t", "y,caf\xe9\n1,2\n"}}),
              HasSubstr("t: line 1: column 2: found the name caf?, which is not UTF-8"));
  EXPECT_EQ(read_text("y,caf\xc3\xa9\n1,2\n").value().samples.size(), 1u);
  EXPECT_THAT(error_of("csv://t?label=y", {{"t", "y," + std::string(16'000'000, 'a') + "\n"}}),
              HasSubstr("t: line 1: found names of 16000002 bytes, expected up to 16000000"));
}

}  // namespace csv_test
}  // namespace surety::data
