#include "orchestrator/data_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace data_identity_test {

using testing::HasSubstr;
using testing::Optional;

data::SourceInfo set(const char* name, std::uint64_t samples, std::uint64_t content) {
  data::SourceInfo info;
  info.name = name;
  info.url = "idx://images.gz";
  info.samples = samples;
  info.content = content;
  return info;
}

TEST(DataIdentity, TheSameSamplesElsewhereAreTheSame) {
  data::SourceInfo moved = set("a", 10, 7);
  moved.url = "idx:///elsewhere/images";
  EXPECT_EQ(data_difference({set("a", 10, 7)}, {moved}), std::nullopt);
}

TEST(DataIdentity, AnotherNumberOfSamplesIsNamed) {
  EXPECT_THAT(data_difference({set("a", 10, 7), set("b", 5, 3)}, {set("a", 10, 7), set("b", 4, 3)}),
              Optional(HasSubstr("data set b (idx://images.gz): found 4 samples")));
}

TEST(DataIdentity, OtherSamplesOfTheSameNumberAreNamed) {
  EXPECT_THAT(data_difference({set("a", 10, 7)}, {set("a", 10, 8)}),
              Optional(HasSubstr("checksum 0000000000000008, but the run began with "
                                 "0000000000000007")));
}

TEST(DataIdentity, AnUnknownChecksumEqualsEveryOther) {
  EXPECT_EQ(data_difference({set("a", 10, 0)}, {set("a", 10, 8)}), std::nullopt);
}

TEST(DataIdentity, AMissingDataSetIsADifference) {
  EXPECT_THAT(data_difference({set("a", 10, 7), set("b", 5, 3)}, {set("a", 10, 7)}),
              Optional(HasSubstr("found 1 data sets, but the run began with 2")));
}

}  // namespace data_identity_test
}  // namespace surety::orchestrator
