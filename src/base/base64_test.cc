#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace surety {
namespace base64_test {

std::string encoded(std::string_view text) { return base64_encode(std::as_bytes(std::span(text))); }

TEST(Base64, EncodesTheExamplesOfRfc4648) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodingGivesBackWhatWasEncoded) {
  Random random(1);
  for (std::size_t length = 0; length < 100; ++length) {
    std::vector<std::byte> bytes(length);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() & 255);
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
}

TEST(Base64, OneValueHasOneText) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=Zg=",
                           "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm9-", "Zm9_"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

}  // namespace base64_test
}  // namespace surety
