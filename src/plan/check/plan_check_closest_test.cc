// The check of the plan that comes closest to a promise which cannot be kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/check/check_testing.h"
#include "plan/check/plan_check.h"
#include "plan/planner/make_plan.h"

namespace surety::plan::check {
namespace plan_check_closest_test {

using namespace testing_plans;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The plan that comes closest to a promise that cannot be kept.
Case closest(plan::Planner planner) {
  plan::synthetic::Spec spec = noisy_versions(0.2);
  plan::PlanOptions options = check_options();
  options.planner = planner;
  options.simulated_runs = kScheduleRuns;
  Case out{plan::synthetic::make_instance(spec, 0.6, 120), {}};
  const auto decision =
      plan::make_plan(out.instance, plan::synthetic::draw_profile(spec, 1), options);
  if (!decision || !std::holds_alternative<plan::Infeasible>(*decision)) {
    ADD_FAILURE() << "no refusal";
    return out;
  }
  out.plan = *std::get<plan::Infeasible>(*decision).best_effort;
  return out;
}

TEST(PlanCheck, TheClosestPlanIsFoundAgainAndAChangedOneIsFound) {
  for (const plan::Planner planner :
       {plan::Planner::kClosedLoop, plan::Planner::kOpenLoop, plan::Planner::kMean}) {
    Case near = closest(planner);
    EXPECT_LT(near.plan.claims->probability, near.instance.promise.probability);
    EXPECT_THAT(check_closest(near.instance, near.plan, quick()), IsEmpty());
    EXPECT_THAT(errors_of(near), Contains(HasSubstr("is below the promised 0.95")));

    Case likelier = near;
    likelier.plan.claims->probability = 0.94;
    EXPECT_THAT(check_closest(likelier.instance, likelier.plan, quick()),
                Contains(StartsWith("probability: 0.9400, but the check finds")));
    Case cheaper = near;
    cheaper.plan.claims->cost_mean *= 0.7;
    cheaper.plan.claims->seconds_mean *= 0.7;
    for (plan::Usage& usage : cheaper.plan.claims->usage) usage.cost_mean *= 0.7;
    EXPECT_THAT(check_closest(cheaper.instance, cheaper.plan, quick()),
                Contains(StartsWith("cost_mean: ")));
  }
}

// The target is below the floor of every curve, so a policy that follows the laws gives up at once.
TEST(PlanCheck, TheCostOfAClosestPlanWithoutAnyChanceIsNotCompared) {
  plan::synthetic::Spec spec = noisy_versions(0.2);
  Case out{plan::synthetic::make_instance(spec, 0.01, 120), {}};
  const auto decision =
      plan::make_plan(out.instance, plan::synthetic::draw_profile(spec, 1), check_options());
  ASSERT_TRUE(decision);
  ASSERT_TRUE(std::holds_alternative<plan::Infeasible>(*decision));
  out.plan = *std::get<plan::Infeasible>(*decision).best_effort;
  ASSERT_LT(out.plan.claims->probability, 0.01);
  EXPECT_THAT(check_closest(out.instance, out.plan, quick()), IsEmpty());
  out.plan.claims->probability = 0.2;
  EXPECT_THAT(check_closest(out.instance, out.plan, quick()),
              Contains(StartsWith("probability: 0.2")));
}

// A pass costs next to nothing and improves the metric a little, so a policy that spends twice as
// much is about as good. Then the planner's grid and that of the check lead to different costs.
TEST(PlanCheck, WhereMoneyHardlyMattersTheCostOfAPolicyThatIsAboutAsGoodIsAccepted) {
  plan::synthetic::Spec spec;
  spec.versions = {{.name = "full",
                    .floor = 0.0927,
                    .start = 0.563,
                    .exponent = 0.54,
                    .rate = 370,
                    .pass_s = 0.02,
                    .noise = 0.5}};
  spec.seeds = 4;
  spec.passes = 4;
  spec.workers = 2;
  spec.metric_se = 0.0193;
  spec.time_sd = 0.1;
  Case flat{plan::synthetic::make_instance(spec, 0.12, 120), {}};
  flat.instance.promise.probability = 0.9;
  flat.instance.passes_max = 200;
  plan::PlanOptions options;
  options.worlds = check_options().worlds;
  options.planner = plan::Planner::kClosedLoop;
  const auto decision =
      plan::make_plan(flat.instance, plan::synthetic::draw_profile(spec, 1), options);
  ASSERT_TRUE(decision);
  ASSERT_TRUE(std::holds_alternative<plan::Infeasible>(*decision));
  flat.plan = *std::get<plan::Infeasible>(*decision).best_effort;
  EXPECT_THAT(check_closest(flat.instance, flat.plan, CheckOptions{}), IsEmpty());

  Case cheaper = flat;
  cheaper.plan.claims->cost_mean /= 50;
  for (plan::Usage& usage : cheaper.plan.claims->usage) usage.cost_mean /= 50;
  EXPECT_THAT(check_closest(cheaper.instance, cheaper.plan, CheckOptions{}),
              Contains(StartsWith("cost_mean: ")));
}

}  // namespace plan_check_closest_test
}  // namespace surety::plan::check
