#include "model/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::model {
namespace version_test {

using ::testing::HasSubstr;

TEST(Version, FullIsNothingPruned) {
  ASSERT_TRUE(parse_version("full"));
  EXPECT_TRUE(parse_version("full")->full());
  EXPECT_EQ(to_text({}), "full");
}

TEST(Version, TextIsCanonical) {
  EXPECT_EQ(to_text(*parse_version("prune:0.50")), "prune:0.5");
  EXPECT_EQ(to_text(*parse_version("prune:0.75")), "prune:0.75");
  EXPECT_EQ(to_text(*parse_version("prune:0.1")), "prune:0.1");
}

TEST(Version, ParsingItsTextGivesTheVersionBack) {
  for (int i = 1; i < 1000; ++i) {
    const Version version{i / 1000.0};
    EXPECT_EQ(*parse_version(to_text(version)), version);
  }
}

TEST(Version, FractionLiesStrictlyBetweenNothingAndEverything) {
  for (const char* text : {"prune:0", "prune:1", "prune:-0.5", "prune:1.5", "prune:nan",
                           "prune:inf", "prune:", "prune:half", "prune:0.5x"}) {
    const auto version = parse_version(text);
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(version.error().message, HasSubstr(text));
  }
}

TEST(Version, OtherNamesAreRefusedWithWhatToWrite) {
  for (const char* text : {"", "Full", "prune", "quant:8", " full"}) {
    const auto version = parse_version(text);
    ASSERT_FALSE(version) << text;
    EXPECT_THAT(version.error().message, HasSubstr("'full' or 'prune:F'"));
  }
}

}  // namespace version_test
}  // namespace surety::model
