#include "base/words.h"

#include <gtest/gtest.h>

namespace surety {
namespace words_test {

TEST(Words, ASumIsRoundedToTwoDecimalsOrBelowATenthToTwoDigits) {
  EXPECT_EQ(money(0), "0.00");
  EXPECT_EQ(money(12.344), "12.34");
  EXPECT_EQ(money(0.01234), "0.012");
}

TEST(Words, ASumThatMustBeEnoughIsRoundedUp) {
  EXPECT_EQ(money_up(0), "0.00");
  EXPECT_EQ(money_up(12.341), "12.35");
  EXPECT_EQ(money_up(12.34), "12.34");
  EXPECT_EQ(money_up(0.01234), "0.013");
  EXPECT_EQ(money_up(2e10), "20000000000.00");
  EXPECT_EQ(money_up(0.0001757), "0.00018");
}

TEST(Words, ANumberThatMustBeEnoughIsRoundedUpToItsDigits) {
  EXPECT_EQ(digits_up(1234, 2), 1300);
  EXPECT_EQ(digits_up(1300, 2), 1300);
  EXPECT_EQ(digits_up(12341, 4), 12350);
  EXPECT_NEAR(digits_up(0.07, 2), 0.07, 1e-12);
  EXPECT_NEAR(digits_up(0.0711, 2), 0.072, 1e-12);
}

TEST(Words, AShareIsRoundedDownSoThatNoCertaintyIsClaimed) {
  EXPECT_EQ(percent(0.9999), "99.9 %");
  EXPECT_EQ(percent(0.95), "95 %");
  EXPECT_EQ(chosen_percent(0.99999), "99.999 %");
}

TEST(Words, APreciseTimeHasMicrosecondsBelowAMillisecond) {
  EXPECT_EQ(precise_time_words(0.00025), "250us");
  EXPECT_EQ(precise_time_words(0.25), time_words(0.25));
  EXPECT_EQ(precise_time_words(4000), time_words(4000));
  EXPECT_EQ(precise_time_words(-1), "0s");
}

}  // namespace words_test
}  // namespace surety
