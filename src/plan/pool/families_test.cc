#include "plan/pool/families.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace families_test {

TEST(Families, TheFirstAttemptIsOfTheFirstFamilyEvenIfItIsExcluded) {
  Families families(3);
  families.exclude(0);
  EXPECT_TRUE(families.may_begin(0, true));
  EXPECT_FALSE(families.may_begin(1, true));
  EXPECT_FALSE(families.may_begin(0, false));
  EXPECT_TRUE(families.may_begin(1, false));
}

TEST(Families, ExcludingAFamilyTwiceCountsOnce) {
  Families families(3);
  families.exclude(1);
  families.exclude(1);
  EXPECT_EQ(families.left(), 2u);
}

TEST(FamiliesDeathTest, TheLastFamilyCannotBeExcluded) {
  Families families(2);
  families.exclude(1);
  EXPECT_DEATH(families.exclude(0), "");
}

}  // namespace families_test
}  // namespace surety::plan
