#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace url_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Url, IsTakenApart) {
  const auto url = parse_url("idx:///a/images.gz?labels=/b/labels.gz");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->scheme, Scheme::kIdx);
  EXPECT_EQ(url->path, "/a/images.gz");
  EXPECT_THAT(url->options, UnorderedElementsAre(Pair("labels", "/b/labels.gz")));
  EXPECT_EQ(url->text, "idx:///a/images.gz?labels=/b/labels.gz");
}

TEST(Url, SeveralOptionsAreSeparatedByAmpersands) {
  const auto url = parse_url("digits://?samples=10&seed=2&noise=0.5");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->path, "");
  EXPECT_THAT(url->options,
              UnorderedElementsAre(Pair("samples", "10"), Pair("seed", "2"), Pair("noise", "0.5")));
}

TEST(Url, RelativePathsAreAllowed) {
  const auto url = parse_url("libsvm://folder/a9a");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->path, "folder/a9a");
}

TEST(Url, NothingIsUnescaped) {
  const auto url = parse_url("csv:///a%20b#c.csv?label=x=%26?y");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->path, "/a%20b#c.csv");
  EXPECT_EQ(url->options.at("label"), "x=%26?y");
}

TEST(Url, RefusalsNameWhatWasFoundAndWhatWasExpected) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"", {"found no \"://\"", "expected SCHEME://FILE"}},
      {"new.csv?label=y", {"such as csv://new.csv?label=y"}},
      {"/data/a9a.gz", {"\"/data/a9a.gz\"", "found no \"://\""}},
      {"libsvn:///a9a", {"found scheme \"libsvn\"", "did you mean \"libsvm\"?"}},
      {"http://x/y",
       {"found scheme \"http\"", "idx, cifar10, libsvm, csv, npy, digits, synthetic"}},
      {"idx:///i?label=/l", {"found option \"label\"", "did you mean \"labels\"?"}},
      {"cifar10:///b?x=1", {"found option \"x\"", "expected none"}},
      {"csv:///t?label", {"option \"label\"", "found no value"}},
      {"csv:///t?label=", {"option \"label\"", "found no value"}},
      {"csv:///t?label=a&label=b", {"option \"label\"", "found twice"}},
      {"csv://?label=a", {"found no path", "csv://FILE"}},
      {"libsvm://", {"found no path", "libsvm://FILE"}},
      {"digits://file?seed=1", {"found path \"file\"", "expected none"}}};
  for (const auto& [text, parts] : cases) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    for (const std::string& part : parts) EXPECT_THAT(url.error().message, HasSubstr(part));
  }
}

TEST(Url, UnprintableBytesAreEscapedInMessages) {
  const auto url = parse_url("a\nb://x");
  ASSERT_FALSE(url);
  EXPECT_THAT(url.error().message, AllOf(HasSubstr("a\\x0ab"), testing::Not(HasSubstr("\n"))));
}

}  // namespace url_test
}  // namespace surety::data
