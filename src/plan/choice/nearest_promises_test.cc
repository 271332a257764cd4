#include "plan/choice/nearest_promises.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace nearest_promises_test {

// The promise is kept from 100 s and 40 of money on.
double kept(const PoolMoment& from) {
  return from.seconds_left >= 100 && from.money_left.value_or(40) >= 40 ? 0.95 : 0.2;
}

TEST(MissingRoom, IsTheLeastThatKeepsThePromise) {
  const MissingRoom short_of_money = missing_room({200, 3}, {5, 2}, 0.9, kept);
  EXPECT_GE(short_of_money.money.value(), 37);
  EXPECT_LE(short_of_money.money.value(), 37 * 1.2);
  const MissingRoom short_of_time = missing_room({2, std::nullopt}, {5, 0.0}, 0.9, kept);
  EXPECT_GE(short_of_time.seconds.value(), 98);
  EXPECT_LE(short_of_time.seconds.value(), 98 * 1.2);
  EXPECT_FALSE(short_of_time.money);
}

// No money is left, so that no multiple of it would be enough.
TEST(MissingRoom, IsFoundIfNothingIsLeft) {
  EXPECT_GE(missing_room({200, 0.0}, {5, 2}, 0.9, kept).money.value(), 40);
}

TEST(MissingRoom, IsNotNamedIfOneOfBothDoesNotSuffice) {
  const MissingRoom both = missing_room({2, 3}, {5, 2}, 0.9, kept);
  EXPECT_FALSE(both.seconds);
  EXPECT_FALSE(both.money);
  EXPECT_FALSE(missing_room({2, 50}, {5, 2}, 0.99, kept).seconds);
}

}  // namespace nearest_promises_test
}  // namespace surety::plan
