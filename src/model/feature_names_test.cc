#include "model/feature_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::model {
namespace feature_names_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Safetensors file_of(const std::vector<std::string>& names) {
  Safetensors file;
  add_feature_names(names, file.metadata);
  return file;
}

TEST(FeatureNames, AnyNamesOfOneLineComeBackInTheirOrder) {
  const std::vector<std::string> names{"b", "", "a, \"quoted\"", "caf\xc3\xa9", " a", "\t\r"};
  for (std::size_t count = 1; count <= names.size(); ++count) {
    const std::vector<std::string> some(names.begin(),
                                        names.begin() + static_cast<std::ptrdiff_t>(count));
    const std::vector<std::byte> bytes = write_safetensors(file_of(some));
    const auto read = feature_names_of(read_safetensors("f", bytes).value(), "f", count);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, some);
  }
  EXPECT_THAT(feature_names_of(file_of({""}), "f", 1).value(), ElementsAre(""));
}

TEST(FeatureNames, AFileWithoutThemHasNone) {
  EXPECT_THAT(file_of({}).metadata, IsEmpty());
  EXPECT_THAT(feature_names_of(file_of({}), "f", 3).value(), IsEmpty());
}

TEST(FeatureNames, AnotherNumberThanThatOfTheFeaturesIsRefused) {
  for (const std::uint64_t features : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}}) {
    const auto read = feature_names_of(file_of({"a", "b"}), "f", features);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(
        read.error().message,
        fmt::format("f: feature_names: found 2 names, expected {}, one per feature", features));
  }
}

TEST(FeatureNames, ANameThatTwoFeaturesHaveIsRefused) {
  const auto read = feature_names_of(file_of({"a", "b", "a"}), "f", 3);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("found \"a\" twice, expected different names"));
}

}  // namespace feature_names_test
}  // namespace surety::model
