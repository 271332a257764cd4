#include "plan/planner/controller.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "plan/closed_loop/closed_loop.h"
#include "plan/decision/drift.h"
#include "plan/decision/simulate.h"
#include "plan/laws/time_model.h"
#include "plan/planner/closed_plan.h"
#include "test/support/plan/reference_instance.h"

namespace surety::plan {
namespace controller_test {

// ---- fixed schedules ----------------------------------------------------------------------------

// 3 passes of 2 s, a switch of 1 s, then passes of 10 s, at 0.5 a second. 4 s are reserved for the
// certification.
Plan two_blocks() {
  Plan plan;
  plan.blocks = {{.version = "prune:0.5", .passes = 3, .nodes = 2, .pass_s = 2, .price_per_s = 0.5},
                 {.version = "full",
                  .passes = 5,
                  .nodes = 2,
                  .pass_s = 10,
                  .switch_s = 1,
                  .price_per_s = 0.5}};
  plan.stop_metric = 0.5;
  plan.certify_s = 4;
  return plan;
}

// The step after `pass` passes of a block, and after all passes of the blocks before it.
Step step(std::uint32_t block, std::uint32_t pass, double metric, double seconds_left,
          std::optional<double> money_left = {}, const Plan& plan = two_blocks()) {
  Controller controller(plan);
  for (std::uint32_t b = 0; b <= block; ++b) {
    const std::uint32_t passes = b < block ? plan.blocks[b].passes : pass;
    for (std::uint32_t i = 0; i < passes; ++i) {
      controller.observe({.block = b, .seconds = 20, .pass_s = 1, .metric = metric});
    }
  }
  return controller.next({.seconds = 20, .seconds_left = seconds_left, .money_left = money_left});
}

TEST(FixedPlan, BeginsWithItsFirstBlock) {
  const Controller controller(two_blocks());
  const Step first = controller.next({.seconds = 0, .seconds_left = 100});
  EXPECT_TRUE(std::holds_alternative<Continue>(first.action));
  EXPECT_EQ(first.reason, "the plan begins with prune:0.5 on 2 nodes");
}

TEST(FixedPlan, AnAccuracyIsGivenAsAnAccuracy) {
  // Plans contain 1 - accuracy, which is not the promised metric.
  Controller controller(two_blocks(), Metric::kAccuracy);
  controller.observe({.block = 0, .seconds = 20, .pass_s = 1, .metric = 0.125});
  EXPECT_EQ(controller.next({.seconds = 20, .seconds_left = 100}).reason,
            "accuracy 0.875 is at least 0.5");
}

TEST(FixedPlan, StopsAtTheStopMetric) {
  const Step met = step(0, 1, 0.5, 100);
  ASSERT_TRUE(std::holds_alternative<Stop>(met.action));
  EXPECT_TRUE(std::get<Stop>(met.action).target_met);
  EXPECT_TRUE(std::holds_alternative<Continue>(step(0, 1, 0.501, 100).action));
}

TEST(FixedPlan, GoesToTheNextBlockWhenItsPassesAreUsedUp) {
  EXPECT_TRUE(std::holds_alternative<Continue>(step(0, 2, 1, 100).action));
  const Step next = step(0, 3, 1, 100);
  ASSERT_TRUE(std::holds_alternative<SwitchTo>(next.action)) << next.reason;
  EXPECT_EQ(std::get<SwitchTo>(next.action).block, 1u);
}

TEST(FixedPlan, LastBlockGoesOnBeyondItsPasses) {
  EXPECT_TRUE(std::holds_alternative<Continue>(step(1, 5, 1, 100).action));
  EXPECT_TRUE(std::holds_alternative<Continue>(step(1, 50, 1, 100).action));
}

TEST(FixedPlan, LeavesTimeForThePassAndTheCertification) {
  // A pass of 10 s and 4 s for the certification.
  EXPECT_TRUE(std::holds_alternative<Continue>(step(1, 1, 1, 14).action));
  const Step stop = step(1, 1, 1, 13.9);
  ASSERT_TRUE(std::holds_alternative<Stop>(stop.action));
  EXPECT_FALSE(std::get<Stop>(stop.action).target_met);
  EXPECT_EQ(stop.reason,
            "no time is left for another pass: 13.9s are left until the certification must begin, "
            "and a pass of full takes 10s, and the certification takes 4s");
}

TEST(FixedPlan, StopsWhereThePassIsNotAfforded) {
  // A pass of 10 s at 0.5 a second.
  EXPECT_TRUE(std::holds_alternative<Continue>(step(1, 1, 1, 100, 5.0).action));
  const Step stop = step(1, 1, 1, 100, 4.9);
  ASSERT_TRUE(std::holds_alternative<Stop>(stop.action));
  EXPECT_EQ(stop.reason,
            "no money is left for another pass: 4.9 of the budget is left after the cost of "
            "certifying is reserved, and a pass of full costs 5");
}

TEST(FixedPlan, StaysWhereTheNextBlockNoLongerFits) {
  // A switch of 1 s, a pass of 10 s, and 4 s for the certification.
  EXPECT_TRUE(std::holds_alternative<SwitchTo>(step(0, 3, 1, 15).action));
  EXPECT_TRUE(std::holds_alternative<Continue>(step(0, 3, 1, 14.9).action));
}

// The plan expects a fall from 1 to between 0.2 and 0.4 in 10 s.
Plan with_bands() {
  Plan plan = two_blocks();
  plan.claims.emplace().bands = {{0, 1, 1, 1}, {10, 0.2, 0.3, 0.4}};
  return plan;
}

TEST(FixedPlan, BehindIsAboveTheBandInBetweenItsPointsToo) {
  EXPECT_TRUE(is_behind(with_bands(), 5, 0.71));  // The upper limit is (1 + 0.4) / 2.
  EXPECT_FALSE(is_behind(with_bands(), 5, 0.69));
  EXPECT_TRUE(is_behind(with_bands(), 50, 0.41));
  EXPECT_FALSE(is_behind(with_bands(), 50, 0.4));
  EXPECT_FALSE(is_behind(two_blocks(), 50, 100));  // A plan without claims.
}

TEST(FixedPlan, ThreePassesBehindAreSaidAndTwoAreNot) {
  const Step two = step(0, 2, 0.61, 100, {}, with_bands());
  EXPECT_EQ(two.reason, "pass 3 of 3 of prune:0.5");
  EXPECT_FALSE(two.is_notable);
  Plan longer = with_bands();
  longer.blocks[0].passes = 5;
  const Step three = step(0, 3, 0.65, 100, {}, longer);
  EXPECT_EQ(three.reason,
            "pass 4 of 5 of prune:0.5; the metric has been worse than planned for 3 passes: it is "
            "0.65, and the plan expects 0.2 to 0.4");
  EXPECT_TRUE(three.is_notable);
}

// The plan expects three passes after 6 s, and a metric of at most 0.64 then.
TEST(FixedPlan, LatePassesAreNamedAsTheCauseIfTheMetricIsAsPlannedForThem) {
  Plan longer = with_bands();
  longer.blocks[0].passes = 5;
  const Step three = step(0, 3, 0.63, 100, {}, longer);
  EXPECT_EQ(three.reason,
            "pass 4 of 5 of prune:0.5; the passes take longer than planned: 3 passes ended after "
            "20s, and the plan expects this after 6s; validation loss 0.63 is as planned for so "
            "many passes");
  EXPECT_TRUE(three.is_notable);
}

// ---- closed loop --------------------------------------------------------------------------------

constexpr ClosedLoopOptions kSmall{.grid = {50, 90}, .classes = 3, .mask = {}};

Plan closed_plan(const Setting& setting, double lambda) {
  Plan plan;
  plan.planner = Planner::kClosedLoop;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    plan.blocks.push_back(block_of(setting, v));
  }
  plan.claims.emplace().setting = setting;
  plan.policy = PolicySpec{.lambda = lambda,
                           .levels = kSmall.grid.levels,
                           .ticks = kSmall.grid.ticks,
                           .classes = kSmall.classes};
  plan.first_block = static_cast<std::uint32_t>(
      ClosedLoop(std::make_shared<ClosedLoopModel>(setting, kSmall), lambda).first_variant());
  return plan;
}

Setting reference_setting() {
  Setting setting = reference::spot_mix();
  setting.laws.run_effect = 0.1;
  return setting;
}

// A controller that observes only what a job observes decides simulated runs again.
TEST(ClosedPlan, ControllerDecidesAsTheSimulatedPolicyDid) {
  const Setting setting = reference_setting();
  const Plan plan = closed_plan(setting, 500);
  const ClosedLoop policy(std::make_shared<ClosedLoopModel>(setting, kSmall), 500);
  std::unique_ptr<Controller> controller;
  int decisions = 0;
  std::optional<DecisionState> before;
  SimulateOptions options{.seed = 5, .runs = 6};
  options.watch = [&](const DecisionState& now, const Move& move) {
    if (now.seconds == 0) {
      controller = std::make_unique<Controller>(plan);
      EXPECT_EQ(controller->block(), now.variant);
    } else {
      controller->observe(
          {.block = static_cast<std::uint32_t>(now.variant),
           .seconds = now.seconds,
           .pass_s =
               pass_duration(setting.law_of(now.variant), setting.variants[now.variant]).mean_s(),
           .metric = now.metric});
      const Step step =
          controller->next({.seconds = now.seconds, .seconds_left = now.seconds_left});
      // A drift alarm has changed the controller's policy.
      if (controller->take_remark()) return;
      ++decisions;
      EXPECT_EQ(std::holds_alternative<Stop>(step.action), move.stops()) << step.reason;
      EXPECT_NE(step.reason, "");
      if (const auto* change = std::get_if<SwitchTo>(&step.action)) {
        EXPECT_EQ(change->block, move.variant);
      }
    }
    before = now;
  };
  (void)simulate(setting, policy, options);
  EXPECT_GT(decisions, 40);
}

TEST(ClosedPlan, AResumedControllerHasTheSameState) {
  const Setting setting = reference_setting();
  const Plan plan = closed_plan(setting, 500);
  Controller first(plan);
  Controller second(plan);
  double seconds = 0;
  for (int pass = 1; pass <= 8; ++pass) {
    seconds += 10;
    first.observe({.block = 1,
                   .seconds = seconds,
                   .pass_s = 10,
                   .metric = setting.law_of(1).curve.at(0.8 * pass)});
  }
  seconds = 0;
  for (int pass = 1; pass <= 8; ++pass) {
    seconds += 10;
    second.observe({.block = 1,
                    .seconds = seconds,
                    .pass_s = 10,
                    .metric = setting.law_of(1).curve.at(0.8 * pass)});
  }
  const Moment now{.seconds = seconds, .seconds_left = 360 - seconds, .money_left = {}};
  EXPECT_EQ(first.next(now).reason, second.next(now).reason);
}

TEST(ClosedPlan, LearningThatStallsRaisesAnAlarmAndIsPlannedAgain) {
  const Setting setting = reference_setting();
  Controller controller(closed_plan(setting, 500));
  std::string remark;
  double seconds = 0;
  for (int pass = 1; pass <= 20 && remark.empty(); ++pass) {
    seconds += 10;
    controller.observe({.block = 0,
                        .seconds = seconds,
                        .pass_s = 10,
                        .metric = setting.law_of(0).curve.at(0.3 * pass)});
    remark = controller.take_remark().value_or("");
  }
  EXPECT_NE(remark.find("learning is slower than planned"), std::string::npos) << remark;
  EXPECT_NE(remark.find("the promise"), std::string::npos) << remark;
  EXPECT_EQ(controller.take_remark(), std::nullopt);
}

TEST(ClosedPlan, SlowClusterRaisesAnAlarmOfItsOwn) {
  const Setting setting = reference_setting();
  Controller controller(closed_plan(setting, 500));
  std::string remark;
  double seconds = 0;
  for (int pass = 1; pass <= 10 && remark.empty(); ++pass) {
    seconds += 25;
    controller.observe(
        {.block = 0, .seconds = seconds, .pass_s = 25, .metric = setting.law_of(0).curve.at(pass)});
    remark = controller.take_remark().value_or("");
  }
  EXPECT_NE(remark.find("the cluster is slower than planned"), std::string::npos) << remark;
}

TEST(ClosedPlan, BadLuckIsNoDrift) {
  const Setting setting = reference_setting();
  const ClosedLoop policy(std::make_shared<ClosedLoopModel>(setting, kSmall), 500);
  int alarms = 0;
  int runs = 0;
  std::optional<DriftAlarm> alarm;
  std::optional<RunBelief> belief;
  double last_s = 0;
  bool alarmed = false;
  SimulateOptions options{.seed = 8, .runs = 200};
  options.watch = [&](const DecisionState& now, const Move& move) {
    if (now.seconds == 0) {
      alarm.emplace(DriftOptions());
      belief.emplace(setting, now.variant);
      alarmed = false;
      ++runs;
    } else {
      belief->on_pass(now.variant, now.metric);
      const Drift drift =
          alarm->add(setting, {now.variant, now.seconds - last_s, belief->surprise(), {}});
      alarmed = alarmed || drift != Drift::kNone;
    }
    alarms += move.stops() && alarmed;
    last_s = now.seconds;
  };
  (void)simulate(setting, policy, options);
  EXPECT_EQ(runs, 200);
  EXPECT_LT(alarms, 20);  // There are about 30 passes a run, and one false alarm in 900.
}

// ---- drift --------------------------------------------------------------------------------------

TEST(Drift, RefitMovesRatesAndTimesToWhatWasSeen) {
  const Setting setting = reference::one_cluster();
  // Half of the progress, and 15 s instead of 10.
  const Setting moved = refit(setting, {{0, 15, 0, 0.4}, {0, 15, 0, 0.6}}, {});
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_NEAR(moved.laws.versions[v].rate, 0.5, 1e-9);
    EXPECT_NEAR(moved.laws.versions[v].time.pass_s, 1.5 * setting.laws.versions[v].time.pass_s,
                1e-9);
  }
  EXPECT_EQ(moved.laws.run_effect, 0.25);
}

TEST(Drift, OneTerriblePassIsNoAlarmAndThreeAre) {
  const Setting setting = reference::one_cluster();
  DriftAlarm alarm({.slack = 0.5, .threshold = 5, .single_max = 3});
  EXPECT_EQ(alarm.add(setting, {0, 10, 50, {}}), Drift::kNone);  // The sum is 2.5.
  EXPECT_EQ(alarm.add(setting, {0, 10, 50, {}}), Drift::kNone);  // The sum is 5.
  EXPECT_EQ(alarm.add(setting, {0, 10, 50, {}}), Drift::kLearning);
}

TEST(Drift, BetterThanPlannedIsNoAlarm) {
  const Setting setting = reference::one_cluster();
  DriftAlarm alarm({});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(alarm.add(setting, {0, 5, -3, {}}), Drift::kNone);
}

}  // namespace controller_test
}  // namespace surety::plan
