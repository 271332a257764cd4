#include <gtest/gtest.h>

#include "plan/plan.h"

namespace surety::plan {
namespace {

// 3 passes of 2 s, a switch of 1 s, then passes of 10 s; 4 s are kept for the certification.
Plan two_blocks() {
  Plan plan;
  plan.blocks = {{"prune:0.5", 3, 2, 2, 0}, {"full", 5, 2, 10, 1}};
  plan.stop_metric = 0.5;
  plan.certify_s = 4;
  return plan;
}

Step step(std::uint32_t block, std::uint32_t pass, double metric, double seconds_left) {
  return next_step(
      two_blocks(),
      {.seconds_left = seconds_left, .block = block, .pass_in_block = pass, .metric = metric});
}

TEST(NextStep, StopsAtTheStopMetric) {
  const Step met = step(0, 1, 0.5, 100);
  ASSERT_TRUE(std::holds_alternative<Stop>(met.action));
  EXPECT_TRUE(std::get<Stop>(met.action).target_met);
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(0, 1, 0.501, 100).action));
}

TEST(NextStep, GoesToTheNextBlockWhenItsPassesAreUsedUp) {
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(0, 2, 1, 100).action));
  const Step next = step(0, 3, 1, 100);
  ASSERT_TRUE(std::holds_alternative<SwitchTo>(next.action)) << next.reason;
  EXPECT_EQ(std::get<SwitchTo>(next.action).block, 1u);
}

TEST(NextStep, LastBlockGoesOnBeyondItsPasses) {
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(1, 5, 1, 100).action));
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(1, 50, 1, 100).action));
}

TEST(NextStep, LeavesTimeForThePassAndTheCertification) {
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(1, 1, 1, 14).action));  // 10 + 4.
  const Step stop = step(1, 1, 1, 13.9);
  ASSERT_TRUE(std::holds_alternative<Stop>(stop.action));
  EXPECT_FALSE(std::get<Stop>(stop.action).target_met);
}

TEST(NextStep, StaysWhereTheNextBlockNoLongerFits) {
  EXPECT_TRUE(std::holds_alternative<SwitchTo>(step(0, 3, 1, 15).action));  // 1 + 10 + 4.
  EXPECT_TRUE(std::holds_alternative<GoOn>(step(0, 3, 1, 14.9).action));
}

TEST(NextStep, SaysThatNoTimeIsLeft) {
  EXPECT_EQ(step(1, 1, 1, 13.9).reason,
            "no time is left for another pass: 13.9s to the deadline, a pass of full takes 10s and "
            "the certification 4s");
}

// Planned to fall from 1 to between 0.2 and 0.4 in 10 s.
Plan with_bands() {
  Plan plan = two_blocks();
  plan.bands = {{0, 1, 1, 1}, {10, 0.2, 0.3, 0.4}};
  return plan;
}

TEST(NextStep, BehindIsAboveTheBandInBetweenItsPointsToo) {
  EXPECT_TRUE(is_behind(with_bands(), 5, 0.71));  // (1 + 0.4) / 2.
  EXPECT_FALSE(is_behind(with_bands(), 5, 0.69));
  EXPECT_TRUE(is_behind(with_bands(), 50, 0.41));
  EXPECT_FALSE(is_behind(with_bands(), 50, 0.4));
  EXPECT_FALSE(is_behind(two_blocks(), 50, 100));  // Nothing was planned.
}

TEST(NextStep, ThreePassesBehindAreSaidAndTwoAreNot) {
  const auto reason = [](std::uint32_t passes_behind) {
    const Step step = next_step(with_bands(), {.seconds = 20,
                                               .seconds_left = 100,
                                               .block = 1,
                                               .pass_in_block = 1,
                                               .metric = 0.61,
                                               .passes_behind = passes_behind});
    EXPECT_TRUE(std::holds_alternative<GoOn>(step.action));
    return step.reason;
  };
  EXPECT_EQ(reason(2), "pass 2 of 5 of full");
  EXPECT_EQ(reason(3),
            "pass 2 of 5 of full; behind the plan for 3 passes: 0.61, planned 0.2 to 0.4");
}

TEST(NextStep, AlwaysSaysWhy) {
  for (const double left : {100.0, 5.0}) {
    for (std::uint32_t pass = 0; pass < 5; ++pass) EXPECT_NE(step(0, pass, 1, left).reason, "");
  }
}

}  // namespace
}  // namespace surety::plan
