#include "path.h"

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

}  // namespace path_test
}  // namespace surety::bench
