#include "plan/belief/draw_laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace surety::plan {
namespace draw_laws_test {

using Kind = DrawLaws::Subject::Kind;

// Two versions, of which the second needs twice the passes.
DrawLaws laws_of_two(std::optional<WorkersLaw> workers = {}) {
  return {{{1}, {2}}, 2.3, {}, workers};
}

// One letter for each place of a draw with two attempts: common, first or second version, workers,
// first or second attempt.
std::string subjects(const DrawLaws& laws) {
  std::string text;
  for (std::size_t place = 0; place < laws.parameters() + 2; ++place) {
    const DrawLaws::Subject subject = laws.subject_of(place);
    if (subject.kind == Kind::kAll) text += 'c';
    if (subject.kind == Kind::kVersion) text += subject.index == 0 ? 'f' : 's';
    if (subject.kind == Kind::kWorkers) text += 'w';
    if (subject.kind == Kind::kAttempt) text += subject.index == 0 ? '0' : '1';
  }
  return text;
}

TEST(DrawLaws, TheParametersAreTheCommonOnesThoseOfVersionsOfWorkersAndOfAttempts) {
  EXPECT_EQ(subjects(laws_of_two()), "cccccccccffffssss01");
  EXPECT_EQ(subjects(laws_of_two(WorkersLaw{.mean = 0.5, .sd = 0.3})), "cccccccccffffssssw01");
  EXPECT_EQ(DrawLaws::parameters(2, false), 17u);
  EXPECT_EQ(DrawLaws::parameters(2, true), 18u);
}

TEST(DrawLaws, AVersionThatNeedsTwiceThePassesHasTwiceTheScaleAndAHigherFloor) {
  const DrawLaws laws = laws_of_two();
  const DrawLaws::Draw draw(laws.parameters(), 0.0);
  const LearningCourse full = laws.course(draw, 0, 0, 0);
  const LearningCourse pruned = laws.course(draw, 1, 0, 0);
  EXPECT_DOUBLE_EQ(pruned.scale, 2 * full.scale);
  EXPECT_GT(pruned.floor, full.floor);
  EXPECT_EQ(full.start, 2.3);
  EXPECT_EQ(full.from, 0);
}

TEST(DrawLaws, AParameterOfAVersionChangesThatVersionOnly) {
  const DrawLaws laws = laws_of_two();
  const DrawLaws::Draw draw(laws.parameters(), 0.0);
  for (std::size_t place = 0; place < laws.parameters(); ++place) {
    const DrawLaws::Subject subject = laws.subject_of(place);
    if (subject.kind != Kind::kVersion) continue;
    DrawLaws::Draw other = draw;
    other[place] = 1;
    for (const std::uint32_t version : {0u, 1u}) {
      const double before = laws.course(draw, version, 0, 0).metric(1);
      const double after = laws.course(other, version, 0, 0).metric(1);
      EXPECT_EQ(before != after, subject.index == version) << place;
    }
  }
}

TEST(DrawLaws, AnAttemptWithAnEffectNeedsFewerPasses) {
  const DrawLaws laws = laws_of_two();
  DrawLaws::Draw draw(laws.parameters() + 2, 0.0);
  draw.back() = 2;
  EXPECT_EQ(laws.effect_of(draw, 0), 0);
  EXPECT_DOUBLE_EQ(laws.effect_of(draw, 1), 2 * laws.effect_sd(draw));
  EXPECT_DOUBLE_EQ(laws.course(draw, 0, 1, 0).scale,
                   laws.course(draw, 0, 0, 0).scale / std::exp(1));
}

TEST(DrawLaws, ThePassesGrowWithAPowerOfTheWorkers) {
  const DrawLaws laws = laws_of_two(WorkersLaw{.mean = 0.5, .sd = 0.25});
  DrawLaws::Draw draw(laws.parameters(), 0.0);
  EXPECT_DOUBLE_EQ(laws.workers_factor(draw, std::log(4)), 2);
  draw.back() = 2;  // The power is 1.
  EXPECT_DOUBLE_EQ(laws.workers_factor(draw, std::log(4)), 4);
  EXPECT_DOUBLE_EQ(laws.course(draw, 0, 0, std::log(4)).scale,
                   4 * laws.course(draw, 0, 0, 0).scale);
  const DrawLaws without = laws_of_two();
  EXPECT_EQ(without.workers_factor(DrawLaws::Draw(without.parameters(), 3.0), std::log(4)), 1);
}

TEST(DrawLaws, MostMetricsThatFallToNothingHaveAFloorOfNearlyNothing) {
  const DrawLaws loss({{1}}, 1, {}, {});
  const DrawLaws gap({{1}}, 1, {.exponential = 0.9, .to_nothing = true}, {});
  const DrawLaws::Draw draw(loss.parameters(), 0.0);
  EXPECT_FALSE(loss.course(draw, 0, 0, 0).exponential);
  EXPECT_TRUE(gap.course(draw, 0, 0, 0).exponential);
  EXPECT_LT(gap.course(draw, 0, 0, 0).floor, 1e-9);
  EXPECT_GT(loss.course(draw, 0, 0, 0).floor, 0.01);
}

}  // namespace draw_laws_test
}  // namespace surety::plan
