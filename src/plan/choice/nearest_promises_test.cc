#include "plan/choice/nearest_promises.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace nearest_promises_test {

// The promise is kept from 100 s and 40 of money on.
double kept(const PoolMoment& from) {
  return from.seconds_left >= 100 && from.money_left.value_or(40) >= 40 ? 0.95 : 0.2;
}

TEST(MissingRoom, IsTheLeastThatKeepsThePromise) {
  const std::vector<MissingRoom> short_of_money = missing_room({200, 1.0}, {5, 2}, {0.9}, kept);
  EXPECT_GE(short_of_money.at(0).money.value(), 39);
  EXPECT_LE(short_of_money.at(0).money.value(), 39 * 1.2);
  EXPECT_FALSE(short_of_money.at(0).seconds);
  const std::vector<MissingRoom> short_of_time = missing_room({2, 50.0}, {5, 2}, {0.9}, kept);
  EXPECT_GE(short_of_time.at(0).seconds.value(), 98);
  EXPECT_LE(short_of_time.at(0).seconds.value(), 98 * 1.2);
  EXPECT_FALSE(short_of_time.at(0).money);
}

// No money is left, so that no multiple of it would be enough.
TEST(MissingRoom, IsFoundIfNothingIsLeft) {
  EXPECT_GE(missing_room({200, 0.0}, {5, 2}, {0.9}, kept).at(0).money.value(), 40);
}

TEST(MissingRoom, IsNotNamedIfItWouldNotSuffice) {
  EXPECT_TRUE(missing_room({2, 1.0}, {5, 2}, {0.9}, kept).empty());  // Time is missing, too.
  EXPECT_EQ(missing_room({2, std::nullopt}, {5, 2}, {0.2, 0.99}, kept).size(), 1u);
}

TEST(MissingRoom, IsNamedOnceIfItIsEnoughForBothProbabilities) {
  const std::vector<MissingRoom> missing = missing_room({98, 50.0}, {5, 2}, {0.5, 0.9}, kept);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].probability, 0.9);
  EXPECT_EQ(missing[0].seconds.value(), 5);
}

TEST(MissingRoom, AsksForEachAmountOnce) {
  int calls = 0;
  const auto counted = [&](const PoolMoment& from) { return ++calls, kept(from); };
  static_cast<void>(missing_room({2, std::nullopt}, {5, 2}, {0.5, 0.9}, counted));
  EXPECT_LE(calls, 12);
  calls = 0;
  EXPECT_TRUE(missing_room({2, std::nullopt}, {5, 2}, {0.99}, counted).empty());
  EXPECT_EQ(calls, 1);
}

TEST(MissingRoom, IsNotNamedIfAPassNeedsNothing) {
  EXPECT_TRUE(missing_room({2, -1.0}, {0, 0}, {0.5}, kept).empty());
}

}  // namespace nearest_promises_test
}  // namespace surety::plan
