#include "plan/planner/closed_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plan/closed_loop/held_out.h"
#include "plan/closed_loop/solve_closed.h"
#include "plan/files/plan_io.h"
#include "plan/plan_options.h"
#include "plan/planner/plan_testing.h"
#include "plan/problem/problem.h"

namespace surety::plan {
namespace closed_plan_test {

using namespace synthetic;

// Seeds differ by about a tenth, passes by a third. Nodes are on demand, or spot at a third of the
// price.
Spec noisy(std::uint32_t seeds) {
  Spec spec = three_versions();
  spec.seeds = seeds;
  spec.run_effect = 0.1;
  for (auto& version : spec.versions) version.noise = 0.3;
  return spec;
}

Instance spot_instance(const Spec& spec, double target, double deadline_s) {
  Instance instance = make_instance(spec, target, deadline_s);
  instance.promise.probability = 0.9;
  instance.nodes = {{.name = "on-demand", .count = 4, .price_per_s = 0.01},
                    {.name = "spot",
                     .count = 4,
                     .price_per_s = 0.0035,
                     .speed_factor = 0.8,
                     .preemptions_per_s = 0.003,
                     .restart_s = 10}};
  return instance;
}

// Small options for tests that plan many times.
PlanOptions tiny_options() {
  PlanOptions options = small_closed_options();
  options.simulated_runs = 200;
  options.levels = 40;
  options.ticks = 60;
  options.classes = 1;
  options.worlds = 20;
  return options;
}

Plan closed_plan(std::uint32_t seeds, std::uint64_t random_seed = 1) {
  const Spec spec = noisy(seeds);
  return plan_of(spot_instance(spec, 0.56, 500), draw_profile(spec, random_seed),
                 small_closed_options());
}

TEST(MakeClosedPlan, KeepsItsPromiseInTheTrueWorld) {
  const Spec spec = noisy(12);
  const Plan plan = closed_plan(12);
  ASSERT_TRUE(plan.policy);
  EXPECT_EQ(plan.planner, Planner::kClosedLoop);
  EXPECT_GE(plan.claims->probability_lower, 0.9);
  Setting world = plan.claims->setting;
  Laws laws = true_laws(spec);
  for (std::size_t v = 0; v < laws.versions.size(); ++v) {
    laws.versions[v].metric_supported = laws.versions[v].curve.floor;
  }
  world.laws = laws;
  const ClosedLoop policy(
      std::make_shared<ClosedLoopModel>(
          plan.claims->setting, ClosedLoopOptions{.grid = {plan.policy->levels, plan.policy->ticks},
                                                  .classes = plan.policy->classes,
                                                  .mask = {}}),
      plan.policy->lambda);
  const Outcome outcome = simulate(world, policy, {.seed = 77, .runs = 1500});
  EXPECT_GE(outcome.probability, 0.9 - 2 * std::sqrt(0.09 / 1500));
}

TEST(MakeClosedPlan, SaysWhereTimeAndMoneyGo) {
  const Plan plan = closed_plan(12);
  double cost = 0;
  for (const Usage& usage : plan.claims->usage) cost += usage.cost_mean;
  EXPECT_NEAR(cost, plan.claims->cost_mean, 1e-6 * plan.claims->cost_mean);
  ASSERT_FALSE(plan.claims->prices.empty());
  for (std::size_t i = 1; i < plan.claims->prices.size(); ++i) {
    EXPECT_GE(plan.claims->prices[i].cost_mean, plan.claims->prices[i - 1].cost_mean);
  }
  EXPECT_FALSE(plan.claims->runners_up.empty());
  EXPECT_NE(plan.reason, "");
}

// Otherwise the table of prices would contradict the plan.
TEST(MakeClosedPlan, NoOtherPolicyIsShownAsCheaperThatKeepsThePromiseToo) {
  constexpr double kPromised = 0.9;  // The promise of closed_plan().
  for (const std::uint32_t seeds : {8u, 12u}) {
    const Plan plan = closed_plan(seeds);
    for (const PricePoint& point : plan.claims->prices) {
      EXPECT_GE(point.probability, point.promised);
      if (point.cost_mean < plan.claims->cost_mean) EXPECT_LT(point.probability, kPromised);
    }
    const auto own = std::ranges::find(plan.claims->prices, kPromised, &PricePoint::promised);
    ASSERT_NE(own, plan.claims->prices.end());
    EXPECT_EQ(own->cost_mean, plan.claims->cost_mean);
    EXPECT_EQ(own->probability, plan.claims->probability);
  }
}

TEST(MakeClosedPlan, SameProfileInAnotherOrderGivesTheSamePlan) {
  const Spec spec = noisy(8);
  Instance instance = spot_instance(spec, 0.58, 500);
  Profile profile = draw_profile(spec, 4);
  const Plan plan = plan_of(instance, profile, small_closed_options());
  std::reverse(instance.nodes.begin(), instance.nodes.end());
  std::stable_sort(profile.curves.begin(), profile.curves.end(),
                   [](const auto& a, const auto& b) { return a.seed > b.seed; });
  EXPECT_EQ(to_json(plan_of(instance, profile, small_closed_options())), to_json(plan));
}

TEST(MakeClosedPlan, SurvivesItsJson) {
  const Plan plan = closed_plan(8);
  const Result<Decision> again = decision_from_json("plan.json", to_json(plan));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(plan));
}

TEST(MakeClosedPlan, FewSeedsThatDifferAreRefusedWithHowManyWouldDo) {
  Spec spec = noisy(3);
  spec.run_effect = 0.3;
  Instance instance = spot_instance(spec, 0.58, 560);
  instance.promise.probability = 0.95;
  const Decision decision = decide(instance, draw_profile(spec, 5), tiny_options());
  const auto* infeasible = std::get_if<Infeasible>(&decision);
  ASSERT_NE(infeasible, nullptr);
  EXPECT_EQ(infeasible->reason_class, ReasonClass::kSeeds) << infeasible->reason;
  if (infeasible->seeds) {
    EXPECT_GT(*infeasible->seeds, 3u);
  }
  ASSERT_TRUE(infeasible->best_effort);
  EXPECT_GE(infeasible->best_effort->claims->probability, 0.95);
  EXPECT_LT(infeasible->best_effort->claims->probability_lower, 0.95);
}

TEST(MakeClosedPlan, SixSeedsThatAllDoWellDoNotSupport90Percent) {
  Spec spec = noisy(6);
  spec.run_effect = 0;
  for (auto& version : spec.versions) version.noise = 0;
  const auto decided = [&] {
    return decide(spot_instance(spec, 0.58, 560), draw_profile(spec, 5), tiny_options());
  };
  const Decision six = decided();
  const auto* infeasible = std::get_if<Infeasible>(&six);
  ASSERT_NE(infeasible, nullptr);
  EXPECT_EQ(infeasible->reason_class, ReasonClass::kSeeds);
  EXPECT_EQ(infeasible->seeds, 7u);
  EXPECT_EQ(infeasible->probability, 0.89);
  EXPECT_THAT(infeasible->reason, testing::HasSubstr("may have learned unusually well"));
  spec.seeds = 7;
  const Decision seven = decided();
  const auto* plan = std::get_if<Plan>(&seven);
  ASSERT_NE(plan, nullptr);
  EXPECT_NEAR(std::pow(plan->claims->probability_lower, 7), 0.5, 1e-9);
}

TEST(MakeClosedPlan, NearestPromiseIsKept) {
  const Spec spec = noisy(10);
  Instance instance = spot_instance(spec, 0.56, 140);
  const Profile profile = draw_profile(spec, 2);
  const Decision decision = decide(instance, profile, tiny_options());
  const auto* infeasible = std::get_if<Infeasible>(&decision);
  ASSERT_NE(infeasible, nullptr);
  ASSERT_TRUE(infeasible->deadline_s);
  instance.promise.deadline_s = *infeasible->deadline_s;
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(instance, profile, tiny_options())));
  ASSERT_TRUE(infeasible->target);
  instance.promise.deadline_s = 140;
  instance.promise.target = *infeasible->target;
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(instance, profile, tiny_options())));
}

TEST(HeldOut, ShowsNoMoreThanItsSeedsCan) {
  const Spec spec = noisy(10);
  const Instance instance = spot_instance(spec, 0.6, 500);
  const Profile profile = draw_profile(spec, 1);
  const auto problem = make_problem(instance, profile, small_closed_options());
  ASSERT_TRUE(problem);
  const HeldOut test =
      test_held_out(*problem, problem->choices[0], make_goal(instance.promise), 1000, 0.9);
  EXPECT_EQ(test.runs, 5u);
  EXPECT_EQ(test.successes, 5u);
  EXPECT_NEAR(test.limit, std::pow(0.1, 0.2), 1e-9);  // The limit is 0.631.
  EXPECT_NEAR(test.lower, test.limit, 1e-6);
}

TEST(HeldOut, SeedsThatStandStillFail) {
  const Spec spec = noisy(10);
  const Instance instance = spot_instance(spec, 0.6, 500);
  Profile profile = draw_profile(spec, 1);
  for (CurvePoint& point : profile.curves) {
    if (point.seed == 3 && point.pass > 0) point.metric = 1.6;
  }
  const auto problem = make_problem(instance, profile, small_closed_options());
  ASSERT_TRUE(problem);
  const HeldOut test =
      test_held_out(*problem, problem->choices[0], make_goal(instance.promise), 1000, 0.9);
  EXPECT_EQ(test.runs, 5u);
  EXPECT_EQ(test.successes, 4u);
}

TEST(HeldOut, FewerThanFourSeedsShowNothing) {
  const Spec spec = noisy(3);
  const Instance instance = spot_instance(spec, 0.6, 500);
  const auto problem = make_problem(instance, draw_profile(spec, 1), small_closed_options());
  ASSERT_TRUE(problem);
  EXPECT_EQ(
      test_held_out(*problem, problem->choices[0], make_goal(instance.promise), 1000, 0.9).runs,
      0u);
}

TEST(BinomialLower, IsTheExactInterval) {
  EXPECT_EQ(binomial_lower(0, 10, 0.9), 0);
  EXPECT_NEAR(binomial_lower(10, 10, 0.9), std::pow(0.1, 0.1), 1e-9);
  // The chance of 9 or more of 10 at p is 10 p^9 (1 - p) + p^10; it is 0.1 at p = 0.663.
  const double p = binomial_lower(9, 10, 0.9);
  EXPECT_NEAR(10 * std::pow(p, 9) * (1 - p) + std::pow(p, 10), 0.1, 1e-9);
}

}  // namespace closed_plan_test
}  // namespace surety::plan
