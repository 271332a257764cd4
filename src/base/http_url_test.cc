#include "base/http_url.h"

#include <gtest/gtest.h>

namespace surety {
namespace http_url_test {

TEST(HttpUrl, AServerWithOrWithoutAPathIsOne) {
  for (const char* text : {"http://a", "https://a.b:80", "http://[::1]:80/x/y", "http://a/"}) {
    EXPECT_TRUE(is_http_url(text)) << text;
  }
}

TEST(HttpUrl, OtherTextsAreNone) {
  for (const char* text :
       {"", "a:80", "ftp://a", "http://", "http:///x", "http://a b", "http://\n", "http://\xc3\xa4",
        "http://:80", "http://a:", "http://a:x", "http://a:0", "http://a:65536",
        "http://a:99999999999", "http://u@a", "http://a?q", "http://a#b"}) {
    EXPECT_FALSE(is_http_url(text)) << text;
  }
}

TEST(HttpUrl, LongOnesAreNone) {
  EXPECT_TRUE(is_http_url("http://" + std::string(255, 'a')));
  EXPECT_FALSE(is_http_url("http://" + std::string(256, 'a')));
  EXPECT_FALSE(is_http_url("http://a/" + std::string(2000, 'b')));
}

TEST(HttpUrl, ThePathLosesItsLastSlash) {
  const HttpUrl url = split_http_url("http://a:80/x/y//");
  EXPECT_EQ(url.server, "http://a:80");
  EXPECT_EQ(url.path, "/x/y");
  EXPECT_EQ(split_http_url("http://a/").path, "");
}

}  // namespace http_url_test
}  // namespace surety
