#include "plan/belief/learning_course.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::plan {
namespace learning_course_test {

LearningCourse course(bool exponential) {
  return {.start = 2,
          .floor = 0.1,
          .power = 1.5,
          .tail = 0.8,
          .scale = 3,
          .jitter = 0.1,
          .exponential = exponential};
}

TEST(LearningCourse, FallsFromItsStartToItsFloor) {
  for (const bool exponential : {false, true}) {
    const LearningCourse falls = course(exponential);
    EXPECT_DOUBLE_EQ(falls.metric(0), 2);
    EXPECT_GT(falls.metric(1), falls.metric(2));
    EXPECT_NEAR(falls.metric(1e9), 0.2, 1e-6);
  }
  EXPECT_DOUBLE_EQ(course(true).metric(3), 2 * (0.1 + 0.9 * std::exp(-1)));
  EXPECT_DOUBLE_EQ(course(false).metric(3), 2 * (0.1 + 0.9 * std::pow(2, -0.8 / 1.5)));
}

TEST(LearningCourse, ContinuesFromItsState) {
  LearningCourse stands = course(false);
  const double later = stands.metric(5);
  stands.from = 2;
  EXPECT_DOUBLE_EQ(stands.metric(3), later);
}

TEST(LearningCourse, PassesToAMetricLeadToIt) {
  for (const bool exponential : {false, true}) {
    const LearningCourse falls = course(exponential);
    for (const double passes : {0.5, 2.0, 7.0}) {
      EXPECT_NEAR(falls.passes_to(falls.metric(passes)), passes, 1e-9);
    }
    EXPECT_EQ(falls.passes_to(2), 0);
    EXPECT_EQ(falls.passes_to(3), 0);
    EXPECT_EQ(falls.passes_to(0.2), kFarPasses * 3);
    EXPECT_EQ(falls.passes_to(0.1), kFarPasses * 3);
  }
}

TEST(LearningCourse, AStretchedCourseKeepsItsMetricAndLearnsMoreSlowly) {
  LearningCourse slow = course(false);
  slow.from = 2;
  const LearningCourse before = slow;
  slow.stretch(4);
  EXPECT_DOUBLE_EQ(slow.metric(0), before.metric(0));
  EXPECT_DOUBLE_EQ(slow.metric(4), before.metric(1));
}

TEST(LearningCourse, ACheckpointAboveItIsLikelierThanOneThatIsAsFarBelow) {
  LearningCourse falls = course(false);
  falls.from = 9;
  const double expected = falls.metric(0);
  const double far = 3 * falls.jitter * (1 - expected / falls.start);
  const double at = falls.log_density(expected, 0);
  const double above = falls.log_density(expected * std::exp(far), 0);
  const double below = falls.log_density(expected * std::exp(-far), 0);
  EXPECT_GT(at, above);
  EXPECT_GT(above, below + 0.5);
}

TEST(LearningCourse, ANoisyEvaluationMayBeFartherAway) {
  LearningCourse falls = course(false);
  falls.from = 9;
  const double seen = falls.metric(0) * std::exp(0.5);
  EXPECT_GT(falls.log_density(seen, 0.3), falls.log_density(seen, 0) + 1);
}

}  // namespace learning_course_test
}  // namespace surety::plan
