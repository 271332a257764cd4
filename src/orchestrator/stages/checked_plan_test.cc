// Tests that a decision is not used if its claims are not confirmed by the check.
#include "orchestrator/stages/checked_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "test/support/plan/synthetic_profile.h"

namespace surety::orchestrator {
namespace checked_plan_test {

using ::testing::HasSubstr;

struct Decided {
  plan::Instance instance;
  plan::Decision decision;
  plan::check::CheckOptions check;
};

// The decision of an open-loop planner for this remaining time.
Decided decided(double deadline_s) {
  plan::synthetic::Spec spec = plan::synthetic::three_versions();
  spec.seeds = 20;
  spec.time_sd = 0.1;
  for (auto& version : spec.versions) version.noise = 0.2;
  const plan::PlanOptions options = plan::synthetic::small_options();
  Decided out;
  out.instance = plan::synthetic::make_instance(spec, 0.6, deadline_s);
  out.check.planner_runs = options.simulated_runs;
  auto decision = make_checked_plan(out.instance, plan::synthetic::draw_profile(spec, 1), options);
  if (!decision) {
    ADD_FAILURE() << decision.error().message;
  } else {
    out.decision = *std::move(decision);
  }
  return out;
}

TEST(CheckedPlan, APlanWithAPlantedMistakeIsNotUsed) {
  Decided made = decided(300);
  ASSERT_TRUE(std::holds_alternative<plan::Plan>(made.decision));
  EXPECT_TRUE(check_decision(made.instance, made.decision, made.check));
  plan::Plan& plan = std::get<plan::Plan>(made.decision);
  plan.claims->seconds_95 *= 0.7;
  const auto checked = check_decision(made.instance, made.decision, made.check);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kDefect);
  EXPECT_THAT(checked.error().message, HasSubstr("disagrees: seconds_95: "));
  EXPECT_THAT(checked.error().message, HasSubstr("The plan is not used"));
}

// A plan for a run whose workers may need `start_s` to start. A node costs 0.01 per second. An
// evaluation took up to `evaluation_s`.
PlanBeforeRun made_before_run(double deadline_s, double start_s, std::optional<double> budget,
                              double evaluation_s, double paid_start_s = 0) {
  plan::synthetic::Spec spec = plan::synthetic::three_versions();
  spec.seeds = 20;
  spec.time_sd = 0.1;
  for (auto& version : spec.versions) version.noise = 0.2;
  plan::Profile profile = plan::synthetic::draw_profile(spec, 1);
  profile.starts = {{start_s / 2, 2, paid_start_s / 2}};  // Twice the time is reserved.
  profile.curves.front().eval_seconds = evaluation_s;
  plan::Instance instance = plan::synthetic::make_instance(spec, 0.6, deadline_s);
  instance.promise.budget = budget;
  auto made = make_plan_before_run(instance, profile, plan::synthetic::small_options());
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(PlanBeforeRun{plan::Infeasible(), {}});
}

plan::Decision before_run(double deadline_s, double start_s,
                          std::optional<double> budget = std::nullopt, double evaluation_s = 0) {
  return made_before_run(deadline_s, start_s, budget, evaluation_s).decision;
}

TEST(CheckedPlan, APlanBeforeARunLeavesTimeToStartAndToCertify) {
  const plan::Decision decision = before_run(300, 20);
  const auto* plan = std::get_if<plan::Plan>(&decision);
  ASSERT_NE(plan, nullptr);
  ASSERT_TRUE(plan->claims);
  const plan::Setting& setting = plan->claims->setting;
  EXPECT_LE(setting.deadline_s, 280);
  EXPECT_GT(setting.deadline_s, 200);
}

TEST(CheckedPlan, WithoutTimeToTrainARefusalNamesADeadlineFromTheStartOfTheRun) {
  const plan::Decision decision = before_run(300, 400);
  const auto* refusal = std::get_if<plan::Infeasible>(&decision);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->reason_class, plan::ReasonClass::kDeadline);
  EXPECT_THAT(refusal->reason, HasSubstr("leaves no time for training"));
  ASSERT_TRUE(refusal->deadline_s);
  EXPECT_GE(*refusal->deadline_s, 700);
}

TEST(CheckedPlan, ARefusalWithTimeToTrainNamesADeadlineFromTheStartOfTheRun) {
  const plan::Decision at_once = before_run(40, 0);
  const plan::Decision later = before_run(60, 20);
  const auto* first = std::get_if<plan::Infeasible>(&at_once);
  const auto* second = std::get_if<plan::Infeasible>(&later);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->deadline_s && second->deadline_s);
  EXPECT_NEAR(*second->deadline_s, *first->deadline_s + 20, 0.03 * *first->deadline_s);
}

TEST(CheckedPlan, WithoutTimeToTrainNothingButALaterDeadlineIsOffered) {
  const plan::Decision decision = before_run(40, 60);  // Also 40 s of training are not enough.
  const auto* refusal = std::get_if<plan::Infeasible>(&decision);
  ASSERT_NE(refusal, nullptr);
  EXPECT_THAT(refusal->reason, HasSubstr("leaves no time for training"));
  EXPECT_FALSE(refusal->target || refusal->probability || refusal->budget || refusal->best_effort);
  ASSERT_TRUE(refusal->deadline_s);
  EXPECT_GT(*refusal->deadline_s, 100);
}

TEST(CheckedPlan, APlanBeforeARunLeavesMoneyToCertify) {
  const PlanBeforeRun made = made_before_run(300, 20, 50, 0);
  const auto* plan = std::get_if<plan::Plan>(&made.decision);
  ASSERT_NE(plan, nullptr);
  ASSERT_TRUE(plan->claims);
  const plan::Setting& setting = plan->claims->setting;
  ASSERT_TRUE(setting.budget);
  // The terms are the time to start and the time to certify.
  EXPECT_DOUBLE_EQ(made.reserved.seconds, 20 + 1);
  // The profile says nothing of paid time before the first pass.
  EXPECT_DOUBLE_EQ(made.reserved.cost, *plan->blocks[0].price_per_s);
  EXPECT_DOUBLE_EQ(*setting.budget, 50 - made.reserved.cost);
}

TEST(CheckedPlan, APlanBeforeARunLeavesMoneyForTheTimeBeforeItsFirstPass) {
  const PlanBeforeRun made = made_before_run(300, 20, 50, 0, 3);
  const auto* plan = std::get_if<plan::Plan>(&made.decision);
  ASSERT_NE(plan, nullptr);
  EXPECT_DOUBLE_EQ(made.reserved.cost, (3 + 1) * *plan->blocks[0].price_per_s);
}

TEST(CheckedPlan, ABudgetThatIsOfferedPaysForTheTimeBeforeTheFirstPassToo) {
  const PlanBeforeRun refused = made_before_run(300, 20, 0.1, 4, 3);
  const auto* refusal = std::get_if<plan::Infeasible>(&refused.decision);
  ASSERT_NE(refusal, nullptr);
  EXPECT_THAT(refusal->reason,
              HasSubstr("starting the workers and certifying the result may cost"));
  ASSERT_TRUE(refusal->budget);
  const PlanBeforeRun offered = made_before_run(300, 20, *refusal->budget, 4, 3);
  EXPECT_TRUE(std::holds_alternative<plan::Plan>(offered.decision));
}

TEST(CheckedPlan, TheMoneyThatIsLeftIsThatForThePlansNodesEvenIfCheaperOnesExist) {
  plan::synthetic::Spec spec = plan::synthetic::three_versions();
  spec.seeds = 20;
  plan::Instance instance = plan::synthetic::make_instance(spec, 0.6, 300);
  // The cheap nodes are too slow for the deadline.
  instance.nodes.push_back({.name = "slow", .count = 8, .price_per_s = 1e-6, .speed_factor = 1e-4});
  instance.promise.budget = 50;
  plan::Profile profile = plan::synthetic::draw_profile(spec, 1);
  profile.starts = {{10, 2}};
  const auto made = make_plan_before_run(instance, profile, plan::synthetic::small_options());
  ASSERT_TRUE(made) << made.error().message;
  const auto* plan = std::get_if<plan::Plan>(&made->decision);
  ASSERT_NE(plan, nullptr);
  double highest = 0;
  for (const plan::Block& block : plan->blocks) highest = std::max(highest, *block.price_per_s);
  EXPECT_GE(highest, 0.01);
  EXPECT_GE(made->reserved.cost, highest);
}

TEST(CheckedPlan, WithoutTimeAndMoneyToTrainARefusalNamesBoth) {
  const plan::Decision decision = before_run(30, 60, 0.1, 4);
  const auto* refusal = std::get_if<plan::Infeasible>(&decision);
  ASSERT_NE(refusal, nullptr);
  EXPECT_THAT(refusal->reason, HasSubstr("neither the deadline nor the budget"));
  EXPECT_FALSE(refusal->target || refusal->probability || refusal->deadline_s || refusal->budget);
}

TEST(CheckedPlan, WithoutMoneyToTrainNothingButALargerBudgetIsOffered) {
  const plan::Decision decision = before_run(300, 20, 0.1, 4);
  const auto* refusal = std::get_if<plan::Infeasible>(&decision);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->reason_class, plan::ReasonClass::kBudget);
  EXPECT_THAT(refusal->reason, HasSubstr("the budget leaves nothing for training"));
  EXPECT_FALSE(refusal->target || refusal->probability || refusal->deadline_s ||
               refusal->best_effort);
  ASSERT_TRUE(refusal->budget);
  // The budget that is offered is enough.
  const plan::Decision offered = before_run(300, 20, *refusal->budget, 4);
  EXPECT_TRUE(std::holds_alternative<plan::Plan>(offered));
}

TEST(CheckedPlan, AClosestPlanWithAPlantedMistakeIsNotUsed) {
  Decided made = decided(110);
  ASSERT_TRUE(std::holds_alternative<plan::Infeasible>(made.decision));
  EXPECT_TRUE(check_decision(made.instance, made.decision, made.check));
  plan::Plan& closest = *std::get<plan::Infeasible>(made.decision).best_effort;
  closest.claims->probability = 0.94;
  const auto checked = check_decision(made.instance, made.decision, made.check);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kDefect);
  EXPECT_THAT(checked.error().message, HasSubstr("disagrees: probability: 0.9400"));
  EXPECT_THAT(checked.error().message, HasSubstr("The closest plan of a refusal is not used"));

  std::get<plan::Infeasible>(made.decision).best_effort.reset();
  EXPECT_TRUE(check_decision(made.instance, made.decision, made.check));
}

}  // namespace checked_plan_test
}  // namespace surety::orchestrator
