#include "data/sources/source_info.h"

#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace source_info_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<SourceInfo> inspect_text(const std::string& text) {
  return inspect(parse_url("libsvm://s").value(), memory_files({{"s", text}}));
}

TEST(Inspect, SaysWhatASourceHolds) {
  const auto info = inspect_text("1 1:1 9:1\n-1 2:1\n1\n");
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->url, "libsvm://s");
  EXPECT_EQ(info->samples, 3u);
  EXPECT_EQ(info->schema.features, 9u);
  EXPECT_EQ(info->schema.classes, 0u);
  EXPECT_EQ(info->bytes, 3 * 4 + 3 * 4 + 3 * 4 + 4 * 8u);  // Values, indices, labels and offsets.
  EXPECT_THAT(info->label_histogram, ElementsAre(Pair(-1, 1), Pair(1, 2)));
}

TEST(Inspect, CountsAcrossBlocksAsInOneGo) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("{} {}:1\n", i % 3, i + 1);
  const auto info = inspect_text(text);
  const auto whole = read_all("libsvm://s", memory_files({{"s", text}}));
  EXPECT_EQ(info->samples, 3000u);
  EXPECT_EQ(info->bytes, whole->samples.bytes());
  EXPECT_EQ(info->schema, whole->schema);
  EXPECT_THAT(info->label_histogram, ElementsAre(Pair(0, 1000), Pair(1, 1000), Pair(2, 1000)));
}

TEST(Inspect, RealLabelsHaveNoHistogram) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{}\n", i * 0.5);
  EXPECT_EQ(inspect_text(text)->label_histogram.size(), 1000u);
  EXPECT_TRUE(inspect_text(text + "-7\n")->label_histogram.empty());
}

TEST(Inspect, RefusesASourceWithoutSamples) {
  const auto info = inspect_text("# nothing\n\n");
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().message, HasSubstr("libsvm://s: found no samples"));
}

TEST(Inspect, PassesOnWhatTheReaderFound) {
  const auto info = inspect_text("1 1:1\noops\n");
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().message, HasSubstr("s: line 2: found \"oops\""));
}

TEST(Inspect, ContentIsOfTheSamplesAndNotOfTheFile) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("{} {}:1\n", i % 3, i + 1);
  const auto content = [](const std::string& samples) {
    return inspect_text(samples)->content.value();
  };
  EXPECT_NE(content(text), 0u);
  EXPECT_EQ(content("# a comment\n\n" + text), content(text));
  std::string other_label = text;
  std::string other_value = text;
  other_label[text.rfind("\n2 ") + 1] = '1';
  other_value[text.size() - 2] = '2';
  EXPECT_NE(content(other_label), content(text));
  EXPECT_NE(content(other_value), content(text));
  EXPECT_NE(content(text + "1 1:1\n"), content(text));
}

SourceInfo source(const char* name, const Schema& schema) {
  SourceInfo info;
  info.name = name;
  info.schema = schema;
  return info;
}

Schema sparse(std::uint32_t features, std::uint32_t classes) {
  return {.layout = Layout::kSparse, .width = features, .features = features, .classes = classes};
}

TEST(CommonSchema, TakesTheLargestFeaturesAndClasses) {
  const auto common = common_schema({source("a", sparse(7, 2)), source("b", sparse(9, 1))});
  ASSERT_TRUE(common) << common.error().message;
  EXPECT_EQ(*common, sparse(9, 2));
}

TEST(CommonSchema, OneSourceWithoutClassesLeavesNone) {
  EXPECT_EQ(common_schema({source("a", sparse(7, 2)), source("b", sparse(7, 0))})->classes, 0u);
  EXPECT_EQ(common_schema(
                {source("a", sparse(7, 0)), source("b", sparse(7, 2)), source("c", sparse(7, 2))})
                ->classes,
            0u);
}

TEST(CommonSchema, DifferentShapesAreRefusedByName) {
  const Schema image{.height = 28, .width = 28, .features = 784, .classes = 10};
  const Schema other{.height = 14, .width = 56, .features = 784, .classes = 10};
  for (const Schema& schema : {other, sparse(784, 10)}) {
    const auto common = common_schema({source("ones", image), source("twos", schema)});
    ASSERT_FALSE(common);
    EXPECT_THAT(common.error().message, HasSubstr("ones and twos cannot be combined"));
    EXPECT_THAT(common.error().message, HasSubstr("1 x 28 x 28"));
  }
  EXPECT_FALSE(common_schema({}));
}

TEST(CommonSchema, AColumnThatIsElsewhereIsRefusedByName) {
  SourceInfo first = source("a", sparse(2, 2));
  SourceInfo second = source("b", sparse(2, 2));
  first.columns = {"age", "height"};
  second.columns = {"height", "age"};
  const auto common = common_schema({first, second});
  ASSERT_FALSE(common);
  EXPECT_THAT(common.error().message,
              HasSubstr("column \"age\" is feature 1 of the first and feature 2 of the second"));
  second.columns = {"age", "weight"};  // Another name at the same place.
  EXPECT_TRUE(common_schema({first, second}));
  second.columns = {};  // A format without names.
  EXPECT_TRUE(common_schema({first, second}));
}

TEST(FeatureNames, AreThoseOfTheFirstSourceThatNamesThem) {
  SourceInfo unnamed = source("a", sparse(2, 2));
  SourceInfo first = source("b", sparse(2, 2));
  SourceInfo second = source("c", sparse(2, 2));
  first.columns = {"age", "height"};
  second.columns = {"age", "weight"};
  EXPECT_EQ(feature_names({unnamed, first, second}), first.columns);
  EXPECT_TRUE(feature_names({unnamed}).empty());
  EXPECT_TRUE(feature_names({}).empty());
}

}  // namespace source_info_test
}  // namespace surety::data
