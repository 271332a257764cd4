#include "bench/studies/provenance.h"

#include <gtest/gtest.h>

namespace surety::bench {
namespace provenance_test {

Provenance parsed(std::string_view text) { return Provenance::parse("file:1", text).value(); }

TEST(Provenance, IsReadAsItIsWritten) {
  EXPECT_EQ(parsed("network=lenet5 images=6000").text(), "network=lenet5 images=6000");
}

TEST(Provenance, EachKeyThatDiffersIsNamedWithBothValues) {
  EXPECT_EQ(differences(parsed("batch=32 rate=0.1"), parsed("batch=64 rate=0.1")),
            "batch: found 32, expected 64");
  EXPECT_EQ(differences(parsed("batch=32"), parsed("batch=32 momentum=0.9")),
            "momentum: found none, expected 0.9");
  EXPECT_EQ(differences(parsed("batch=32 momentum=0.9"), parsed("batch=64")),
            "batch: found 32, expected 64; momentum: found 0.9, expected none");
}

TEST(Provenance, TheOrderOfTheKeysIsNoDifference) {
  EXPECT_EQ(differences(parsed("a=1 b=2"), parsed("b=2 a=1")), "");
}

TEST(Provenance, WhatIsNoneIsRefusedWithItsWord) {
  for (const char* text : {"", "batch", "batch=", "=32", "a=1  b=2", "a=1=2", "a=1 ", "a=\t"}) {
    EXPECT_FALSE(Provenance::parse("file:1", text)) << text;
  }
  EXPECT_EQ(Provenance::parse("file:1", "a=1 b").error().message,
            "file:1: found 'b', expected key=value");
  EXPECT_EQ(Provenance::parse("file:1", "a=1 a=2").error().message,
            "file:1: a: found twice, expected once");
}

}  // namespace provenance_test
}  // namespace surety::bench
