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

TEST(NextStep, AlwaysSaysWhy) {
  for (const double left : {100.0, 5.0}) {
    for (std::uint32_t pass = 0; pass < 5; ++pass) EXPECT_NE(step(0, pass, 1, left).reason, "");
  }
}

}  // namespace
}  // namespace surety::plan
