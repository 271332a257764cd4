#include "orchestrator/history/data_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace surety::orchestrator {
namespace data_identity_test {

using testing::HasSubstr;

data::SourceInfo set(const char* name, std::uint64_t samples,
                     std::optional<std::uint64_t> content) {
  data::SourceInfo info;
  info.name = name;
  info.url = "idx://images.gz";
  info.samples = samples;
  info.content = content;
  return info;
}

std::string refusal(const Result<void>& checked) { return checked ? "" : checked.error().message; }

TEST(DataIdentity, TheSameSamplesElsewhereAreTheSame) {
  data::SourceInfo moved = set("a", 10, 7);
  moved.url = "idx:///elsewhere/images";
  EXPECT_TRUE(check_same_data({set("a", 10, 7)}, {moved}));
}

TEST(DataIdentity, AnotherNumberOfSamplesIsNamed) {
  const auto checked =
      check_same_data({set("a", 10, 7), set("b", 5, 3)}, {set("a", 10, 7), set("b", 4, 3)});
  EXPECT_THAT(refusal(checked), HasSubstr("data.b (idx://images.gz)"));
  EXPECT_THAT(refusal(checked), HasSubstr("found 4 samples, expected 5"));
}

TEST(DataIdentity, OtherValuesInAsManySamplesAreNamed) {
  EXPECT_THAT(refusal(check_same_data({set("a", 10, 7)}, {set("a", 10, 8)})),
              HasSubstr("other values in its 10 samples"));
}

TEST(DataIdentity, AnUnknownChecksumEqualsEveryOther) {
  EXPECT_TRUE(check_same_data({set("a", 10, std::nullopt)}, {set("a", 10, 8)}));
}

}  // namespace data_identity_test
}  // namespace surety::orchestrator
