#include "bench/studies/path.h"

#include <gtest/gtest.h>

namespace surety::bench {
namespace path_test {

TEST(Path, PassesOfOneVersionAreOneStretch) {
  const Path path = Path("full").then("full").then("full");
  EXPECT_EQ(path.text(), "full*2");
  EXPECT_EQ(path.passes(), 2u);
}

TEST(Path, ASwitchIsItsOwnStepOfWhichThePassAfterItIsTheNext) {
  const Path path = Path("prune:0.5").then("prune:0.5").then("full");
  EXPECT_EQ(path.text(), "prune:0.5*1/full*1");
  EXPECT_EQ(path.before().text(), "prune:0.5*1/full*0");
  EXPECT_TRUE(path.before().ends_in_switch());
  EXPECT_EQ(path.before().before().text(), "prune:0.5*1");
  EXPECT_TRUE(path.before().before().before().is_start());
}

TEST(Path, SwitchToTheSameVersionIsNone) {
  const Path path = Path("full").then("full");
  EXPECT_EQ(path.switched("full").text(), path.text());
}

TEST(Path, IsReadAsItIsWritten) {
  for (const char* text :
       {"full*0", "full*12", "prune:0.5*3/full*0", "full*2/prune:0.75*1/full*4"}) {
    const auto path = Path::parse(text);
    ASSERT_TRUE(path) << text;
    EXPECT_EQ(path->text(), text);
  }
}

TEST(Path, WhatIsNeverWrittenIsNoPath) {
  for (const char* text :
       {"", "full", "full*", "full*-1", "full*x", "full*01", "*1", "half*1", "prune:.5*1",
        "full*1/", "/full*1", "full*1/full*2", "full*0/prune:0.5*1", "full*4000000000"}) {
    EXPECT_FALSE(Path::parse(text)) << text;
  }
}

}  // namespace path_test
}  // namespace surety::bench
