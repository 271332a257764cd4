#include "plan/belief/attempt_evidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::plan {
namespace attempt_evidence_test {

constexpr double kStart = 2.3;

const DrawLaws kLaws({{1}, {2}}, kStart, {}, WorkersLaw{.mean = 0.5, .sd = 0.3});
constexpr std::uint32_t kNumber = 1;

// The median draw, with two attempts.
DrawLaws::Draw median_draw() { return DrawLaws::Draw(kLaws.parameters() + 2, 0.0); }

// An attempt that follows the median draw for this many passes of a version.
AttemptEvidence evidence_of(std::uint32_t passes, std::uint32_t version = 0,
                            double workers_log = 0) {
  AttemptEvidence evidence(kNumber);
  const LearningCourse course = kLaws.course(median_draw(), version, 0, workers_log);
  for (std::uint32_t k = 1; k <= passes; ++k) {
    evidence.add({.version = version,
                  .passes = static_cast<double>(k),
                  .metric = course.metric(k),
                  .metric_se = 0.01,
                  .workers_log = workers_log},
                 kStart);
  }
  return evidence;
}

TEST(AttemptEvidence, WithoutPassesNothingIsKnown) {
  const AttemptEvidence evidence(kNumber);
  const DrawLaws::Draw draw = median_draw();
  EXPECT_EQ(evidence.log_likelihood(kLaws, draw, 1), 0);
  EXPECT_EQ(evidence.chance_stuck(kLaws, draw), kLaws.stuck(draw));
  EXPECT_EQ(evidence.onward(kLaws, draw, 1, 0).metric(2), kLaws.course(draw, 1, 0, 0).metric(2));
}

TEST(AttemptEvidence, ADrawThatFitsIsLikelierThanOthers) {
  const AttemptEvidence evidence = evidence_of(5);
  const double fits = evidence.log_likelihood(kLaws, median_draw(), 1);
  for (const std::size_t place : {6, 7, 8}) {  // Scale, power and tail.
    for (const double value : {-1.0, 1.0}) {
      DrawLaws::Draw other = median_draw();
      other[place] = value;
      EXPECT_LT(evidence.log_likelihood(kLaws, other, 1), fits) << place;
    }
  }
  DrawLaws::Draw faster = median_draw();
  faster.back() = 2;  // The effect of this attempt.
  EXPECT_LT(evidence.log_likelihood(kLaws, faster, 1), fits);
}

TEST(AttemptEvidence, AtWeightZeroTheLastPassDoesNotCount) {
  const DrawLaws::Draw draw = median_draw();
  EXPECT_EQ(evidence_of(4).log_likelihood(kLaws, draw, 0),
            evidence_of(3).log_likelihood(kLaws, draw, 1));
  const double half = evidence_of(4).log_likelihood(kLaws, draw, 0.5);
  EXPECT_GT(half, evidence_of(4).log_likelihood(kLaws, draw, 0));
  EXPECT_LT(half, evidence_of(4).log_likelihood(kLaws, draw, 1));
}

TEST(AttemptEvidence, AnAttemptHasTheStateThatItsPassesLeadTo) {
  const DrawLaws::Draw draw = median_draw();
  const LearningCourse course = kLaws.course(draw, 0, 0, 0);
  EXPECT_DOUBLE_EQ(evidence_of(5).onward(kLaws, draw, 0, 0).metric(2), course.metric(7));
}

TEST(AttemptEvidence, AChangeOfVersionCostsPasses) {
  const DrawLaws::Draw draw = median_draw();
  const AttemptEvidence evidence = evidence_of(5);
  const double stands = evidence.onward(kLaws, draw, 0, 0).metric(0);
  const LearningCourse changed = evidence.onward(kLaws, draw, 1, 0);
  EXPECT_NEAR(changed.from, changed.passes_to(stands) - kLaws.passes_of_change(draw), 1e-9);
}

TEST(AttemptEvidence, OtherWorkersKeepTheProgress) {
  const DrawLaws::Draw draw = median_draw();
  const AttemptEvidence evidence = evidence_of(5, 0, std::log(2));
  const double stands = evidence.onward(kLaws, draw, 0, std::log(2)).metric(0);
  const LearningCourse more = evidence.onward(kLaws, draw, 0, std::log(8));
  EXPECT_NEAR(more.metric(0), stands, 1e-12);
  EXPECT_DOUBLE_EQ(more.scale, kLaws.course(draw, 0, 0, std::log(8)).scale);
}

TEST(AttemptEvidence, AnAttemptThatStaysAtTheStartIsStuckAndOneThatGoesFarAwayIsNot) {
  const auto stuck = [](double metric) {
    AttemptEvidence evidence(kNumber);
    for (int k = 1; k <= 4; ++k) {
      evidence.add({.passes = static_cast<double>(k), .metric = metric, .metric_se = 0.01}, kStart);
    }
    return evidence.chance_stuck(kLaws, median_draw());
  };
  EXPECT_GT(stuck(kStart), 0.9);
  // It fits neither course, and jitter above a course is less rare.
  EXPECT_LT(stuck(2 * kStart), 0.1);
  EXPECT_LT(evidence_of(4).chance_stuck(kLaws, median_draw()), 0.01);
}

TEST(AttemptEvidence, DependsOnWhatIsCommonAndOnItsOwnVersionsWorkersAndEffect) {
  const std::size_t first_version = 9;
  const std::size_t second_version = 13;
  const std::size_t workers = kLaws.parameters() - 1;
  const std::size_t first_attempt = kLaws.parameters();
  const AttemptEvidence alone = evidence_of(2);
  EXPECT_TRUE(alone.depends_on(kLaws, {0}));
  EXPECT_TRUE(alone.depends_on(kLaws, {first_version}));
  EXPECT_FALSE(alone.depends_on(kLaws, {second_version, workers, first_attempt}));
  EXPECT_TRUE(alone.depends_on(kLaws, {second_version, first_attempt + kNumber}));
  EXPECT_TRUE(evidence_of(2, 1).depends_on(kLaws, {second_version}));
  EXPECT_TRUE(evidence_of(2, 0, std::log(2)).depends_on(kLaws, {workers}));
}

}  // namespace attempt_evidence_test
}  // namespace surety::plan
