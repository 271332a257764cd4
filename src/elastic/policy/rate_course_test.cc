#include "elastic/policy/rate_course.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::elastic {
namespace rate_course_test {

// The rate sinks by a factor of e^-trend per unit of depth.
RateCourse course_of(double trend, int windows, double step = 0.1) {
  RateCourse course;
  for (int i = 0; i < windows; ++i) course.add(i * step, std::exp(-trend * i * step));
  return course;
}

TEST(RateCourse, TheTrendIsHowFastTheLogarithmOfTheRateSinks) {
  EXPECT_NEAR(course_of(0.3, 3).trend(), 0.3, 1e-9);
}

TEST(RateCourse, TwoWindowsAreNoTrend) { EXPECT_EQ(course_of(0.3, 2).trend(), 0); }

TEST(RateCourse, ARisingRateIsNoTrendAndASteepOneIsLimited) {
  EXPECT_EQ(course_of(-0.3, 9).trend(), 0);
  EXPECT_EQ(course_of(2, 9).trend(), 0.5);
}

TEST(RateCourse, WindowsThatAreHardlyDeeperAreIgnored) {
  EXPECT_EQ(course_of(0.3, 4, 0.02).trend(), 0);
  EXPECT_GT(course_of(0.3, 4, 0.07).trend(), 0);
}

TEST(RateCourse, OnlyTheLastStretchCounts) {
  RateCourse course = course_of(0, 20);  // The last is at 1.9; the rate is flat.
  for (int i = 0; i < 21; ++i) course.add(3.9 + 0.1 * i, std::exp(-0.04 * i));
  EXPECT_NEAR(course.trend(), 0.4, 1e-9);
}

TEST(RateCourse, WhatIsClearedIsForgotten) {
  RateCourse course = course_of(0.3, 9);
  course.clear();
  EXPECT_EQ(course.trend(), 0);
  course.add(0, 1);
  course.add(0.1, std::exp(-0.02));
  course.add(0.2, std::exp(-0.04));
  EXPECT_NEAR(course.trend(), 0.2, 1e-9);
}

}  // namespace rate_course_test
}  // namespace surety::elastic
