#include "plan/decision/run_course.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::plan {
namespace run_course_test {

VersionLaw law_of(double floor, double supported = 0) {
  VersionLaw law;
  law.curve = {.floor = floor, .scale = 2, .exponent = 1};
  law.metric_supported = supported;
  law.stuck_share = 0.3;
  return law;
}

TEST(RunCourse, TheMetricIsThatOfTheLawAtItsProgress) {
  const VersionLaw law = law_of(0.1);
  RunCourse course(1.2, 0.5, law);
  EXPECT_EQ(course.metric(), law.curve.at(0));
  course.advance(3);
  course.advance(4);
  EXPECT_EQ(course.metric(), law.curve.at(0));  // It was not measured.
  course.measure(law);
  EXPECT_EQ(course.metric(), law.curve.at(7));
  EXPECT_EQ(course.progress(), 7);
  EXPECT_EQ(course.effect(), 1.2);
}

TEST(RunCourse, TheMetricIsNeverBelowWhatTheLawSupports) {
  const VersionLaw law = law_of(0.1, 0.5);
  RunCourse course(1, 0.5, law);
  course.advance(1e6);
  course.measure(law);
  EXPECT_EQ(course.metric(), 0.5);
}

TEST(RunCourse, IsStuckWithVersionsWhoseShareIsAboveItsQuantile) {
  const VersionLaw law = law_of(0.1);
  EXPECT_TRUE(RunCourse(1, 0.2, law).is_stuck(law));
  EXPECT_FALSE(RunCourse(1, 0.3, law).is_stuck(law));
  EXPECT_FALSE(RunCourse(1, 0.4, law).is_stuck(law));
}

TEST(RunCourse, ARunInTheMiddleLearnsAndContinuesAtItsMetric) {
  const VersionLaw law = law_of(0.1);
  RunCourse course(1, 0.2, law);
  course.resume(0.9, law);
  EXPECT_FALSE(course.is_stuck(law));
  EXPECT_EQ(course.metric(), 0.9);
  course.measure(law);
  EXPECT_NEAR(course.metric(), 0.9, 1e-12);
  // Even if its metric is below what the curve can reach.
  course.resume(0.01, law);
  EXPECT_EQ(course.metric(), 0.01);
  EXPECT_TRUE(std::isfinite(course.progress()));
}

TEST(RunCourse, ANewLawContinuesWhereTheJumpLeads) {
  const VersionLaw law = law_of(0.1);
  const VersionLaw other = law_of(0.4);
  RunCourse course(1, 0.5, law);
  course.advance(2);
  course.measure(law);
  const double before = course.metric();
  course.change_to(other, 1.1);
  EXPECT_DOUBLE_EQ(course.metric(), 1.1 * before);
  EXPECT_NEAR(other.curve.at(course.progress()), 1.1 * before, 1e-12);
}

TEST(RunCourse, ANewLawIsBegunNoLowerThanItCanGo) {
  const VersionLaw law = law_of(0);
  const VersionLaw other = law_of(0.4);
  RunCourse course(1, 0.5, law);
  course.advance(1e6);
  course.measure(law);
  course.change_to(other, 2);  // The lowest supported metric, not 0, is multiplied.
  EXPECT_DOUBLE_EQ(course.metric(), 2 * other.curve.lowest());
  course.change_to(other, 0.1);
  EXPECT_EQ(course.metric(), other.curve.lowest());
  EXPECT_TRUE(std::isfinite(course.progress()));
}

TEST(RunCourse, LeftUnmeasuredItIsAboveAllThatMatters) {
  const VersionLaw law = law_of(0.1);
  RunCourse course(1, 0.5, law);
  course.leave_unmeasured();
  EXPECT_TRUE(std::isinf(course.metric()));
  course.measure(law);
  EXPECT_EQ(course.metric(), law.curve.at(0));
}

}  // namespace run_course_test
}  // namespace surety::plan
