#include "measure_profile.h"

#include <gtest/gtest.h>

namespace surety::bench {
namespace {

TEST(OnePassBefore, TakesOnePassBackAlongTheCurve) {
  const std::vector<double> halving{8, 4, 2, 1};
  EXPECT_DOUBLE_EQ(one_pass_before(halving, 2), 4);
  EXPECT_DOUBLE_EQ(one_pass_before(halving, 1.5), 3);  // Half way through the third pass.
  EXPECT_DOUBLE_EQ(one_pass_before(halving, 4), 8);
}

TEST(OnePassBefore, WhatOnePassFromTheStartBeatsBeginsAtTheStart) {
  EXPECT_DOUBLE_EQ(one_pass_before({8, 4, 2}, 5), 8);
  EXPECT_DOUBLE_EQ(one_pass_before({8, 4, 2}, 9), 8);
}

TEST(OnePassBefore, BelowTheCurveIsItsEnd) { EXPECT_DOUBLE_EQ(one_pass_before({8, 4, 2}, 0.5), 4); }

TEST(OnePassBefore, APassThatMakesItWorseCountsForNothing) {
  // As {8, 4, 4, 2}: 3 is half way through the third pass, which began at 4.
  EXPECT_DOUBLE_EQ(one_pass_before({8, 4, 5, 2}, 3), 4);
}

}  // namespace
}  // namespace surety::bench
