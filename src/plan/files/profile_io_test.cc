#include "plan/files/profile_io.h"

#include <gtest/gtest.h>

#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace profile_io_test {

using Files = std::map<std::string, std::string>;

TEST(ProfileIo, WrittenProfilesAreReadBackExactly) {
  synthetic::Spec spec = synthetic::three_versions();
  spec.run_effect = 0.1;  // Gives numbers with many digits.
  Profile profile = synthetic::draw_profile(spec, 1);
  profile.nodes = {{0, "local", "full", 1.0 / 3}};
  profile.links = {{0, 1, 1e9 / 7}};
  profile.starts = {{1.0 / 3, 2, 1.0 / 7}};
  const Files files = to_files(profile);
  const Result<Profile> read = profile_from_files(files);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_files(*read), files);
  ASSERT_EQ(read->curves.size(), profile.curves.size());
  EXPECT_EQ(read->curves[5].metric, profile.curves[5].metric);
  EXPECT_EQ(read->links[0].bytes_per_s, 1e9 / 7);
  ASSERT_EQ(read->starts.size(), 1u);
  EXPECT_EQ(read->starts[0].seconds, 1.0 / 3);
  EXPECT_EQ(read->starts[0].workers, 2u);
  EXPECT_EQ(read->starts[0].paid_seconds, 1.0 / 7);
}

TEST(ProfileIo, ErrorsNameFileLineColumnFoundAndExpected) {
  const Files good = to_files(Profile());
  const auto error_of = [&](const std::string& file, const std::string& text) {
    Files files = good;
    files[file] = text;
    const auto read = profile_from_files(files);
    return read ? std::string("no error") : read.error().message;
  };
  const std::string header = "from,to,bytes_per_s\n";
  EXPECT_EQ(error_of("links.csv", header + "0,1,2\n0,x,3\n"),
            "links.csv:3: to: found 'x', expected a whole number from 0 to 4294967295");
  EXPECT_EQ(error_of("links.csv", header + "0,1,inf\n"),
            "links.csv:2: bytes_per_s: found 'inf', expected a finite number");
  EXPECT_EQ(error_of("links.csv", header + "0,-1,3\n"),
            "links.csv:2: to: found '-1', expected a whole number from 0 to 4294967295");
  EXPECT_LT(error_of("links.csv", header + "0," + std::string(100'000, 'x') + ",3\n").size(), 300u);
  EXPECT_LT(error_of("links.csv", std::string(100'000, 'x') + "\n").size(), 500u);
  EXPECT_EQ(error_of("links.csv", header + "0,1\n"), "links.csv:2: found 2 columns, expected 3");
  EXPECT_EQ(error_of("links.csv", "from,to\n"),
            "links.csv:1: header: found 'from,to', expected 'from,to,bytes_per_s'");
  EXPECT_NE(error_of("link.csv", header).find("found file link.csv"), std::string::npos);
  EXPECT_EQ(error_of("links.csv", "from,to,bytes_per_s\r\n0,1,2\r\n"), "no error");
}

// A carriage return inside a name would be read as the end of a line after the file is written
// again.
TEST(ProfileIo, ANameWithAControlCharacterIsRefused) {
  const std::string header = "from,to,seed,pass,metric_before,metric_after,seconds,passes_after\n";
  Files files = to_files(Profile());
  files["switches.csv"] = header + "full,prune\r:0.5,1,4,1.5,1.6,0.25,0\n";
  const Result<Profile> refused = profile_from_files(files);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("switches.csv:2: to"), 0u) << refused.error().message;
  files["switches.csv"] = header + "full,prune:0.5,1,4,1.5,1.6,0.25,0\n";
  EXPECT_TRUE(profile_from_files(files));
}

TEST(ProfileIo, CurvesAreRequired) {
  Files files = to_files(Profile());
  files.erase("curves.csv");
  EXPECT_FALSE(profile_from_files(files));
  EXPECT_TRUE(profile_from_files({{"curves.csv", to_files(Profile())["curves.csv"]}}));
}

}  // namespace profile_io_test
}  // namespace surety::plan
