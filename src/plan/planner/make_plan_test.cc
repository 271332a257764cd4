#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plan/files/plan_io.h"
#include "plan/planner/plan_testing.h"

namespace surety::plan {
namespace make_plan_test {

using namespace synthetic;

DataSet data_set(const std::string& name, std::uint64_t samples, double price) {
  DataSet set;
  set.name = name;
  set.samples = samples;
  set.price = price;
  return set;
}

TEST(MakePlan, WithoutNoiseThePlanIsTheHandComputation) {
  // From 1 to 0.01 takes 7 halvings: 70 s, at a cost of 7 * 10 * 4 * 0.01 = 2.8.
  Instance instance = make_instance(halving(), 0.01, 100);
  instance.promise.metric = Metric::kDualityGap;
  const Plan plan = plan_of(instance, draw_profile(halving(), 1));
  ASSERT_EQ(plan.blocks.size(), 1u);
  EXPECT_EQ(plan.blocks[0].version, "full");
  EXPECT_EQ(plan.blocks[0].passes, 7u);
  EXPECT_EQ(plan.blocks[0].nodes, 4u);
  EXPECT_EQ(plan.claims->probability, 1);
  // Three seeds support no more than this.
  EXPECT_NEAR(std::pow(plan.claims->probability_lower, 3), 0.5, 1e-9);
  EXPECT_GT(plan.claims->support.percentile,
            plan.claims->probability_lower);  // The laws alone would support more.
  EXPECT_NEAR(plan.claims->seconds_mean, 70, 1e-6);
  EXPECT_NEAR(plan.claims->cost_mean, 2.8, 1e-7);
  EXPECT_EQ(plan.stop_metric, 0.01);
}

TEST(MakePlan, CheaperVersionFirstIsChosenWhereItIsCheaper) {
  const Spec spec = three_versions();
  const Plan plan = plan_of(make_instance(spec, 0.54, 600), draw_profile(spec, 1));
  ASSERT_GE(plan.blocks.size(), 1u);
  EXPECT_NE(plan.blocks[0].version, "full");
  const auto other =
      std::find_if(plan.claims->runners_up.begin(), plan.claims->runners_up.end(),
                   [](auto& candidate) { return candidate.what == "prune:0.5 on 4 nodes"; });
  ASSERT_NE(other, plan.claims->runners_up.end());
  EXPECT_LT(plan.claims->cost_mean, other->cost_mean);
}

TEST(MakePlan, FullOnlyIsChosenWherePruningSavesNothing) {
  Spec spec = three_versions();
  for (auto& version : spec.versions) version.pass_s = 10;
  const Plan plan = plan_of(make_instance(spec, 0.54, 600), draw_profile(spec, 1));
  ASSERT_EQ(plan.blocks.size(), 1u);
  EXPECT_EQ(plan.blocks[0].version, "full");
}

Spec noisy() {
  Spec spec = three_versions();
  spec.versions.pop_back();
  for (auto& version : spec.versions) version.noise = 0.4;
  spec.run_effect = 0.1;
  spec.time_sd = 0.05;
  spec.seeds = 5;
  spec.passes = 12;
  return spec;
}

TEST(MakePlan, ProbabilityGrowsWithTheDeadline) {
  const Spec spec = noisy();
  const Profile profile = draw_profile(spec, 2);
  double before = 0;
  for (const double deadline_s : {150.0, 250.0, 350.0, 700.0}) {
    Instance instance = make_instance(spec, 0.54, deadline_s);
    const Decision decision = decide(instance, profile);
    const Plan* plan = std::get_if<Plan>(&decision);
    // If the promise is kept, the probability is at least the promised one; its value does not
    // matter.
    const double now =
        plan != nullptr ? 0.95 : std::get<Infeasible>(decision).best_effort->claims->probability;
    EXPECT_GE(now, before) << deadline_s;
    before = now;
  }
  EXPECT_EQ(before, 0.95);
}

TEST(MakePlan, NearestDeadlineIsFeasibleAndFivePercentLessIsNot) {
  const Spec spec = noisy();
  const Profile profile = draw_profile(spec, 2);
  Instance instance = make_instance(spec, 0.54, 120);
  const Decision decision = decide(instance, profile);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(decision));
  const Infeasible& infeasible = std::get<Infeasible>(decision);
  EXPECT_EQ(infeasible.reason_class, ReasonClass::kDeadline);
  ASSERT_TRUE(infeasible.deadline_s);
  instance.promise.deadline_s = *infeasible.deadline_s;
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(instance, profile)));
  instance.promise.deadline_s = 0.95 * *infeasible.deadline_s;
  EXPECT_TRUE(std::holds_alternative<Infeasible>(decide(instance, profile)));
}

TEST(MakePlan, NearestTargetAndProbabilityAreFeasible) {
  const Spec spec = noisy();
  const Profile profile = draw_profile(spec, 2);
  Instance instance = make_instance(spec, 0.54, 200);
  const Decision decision = decide(instance, profile);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(decision));
  const Infeasible& infeasible = std::get<Infeasible>(decision);
  ASSERT_TRUE(infeasible.target);
  EXPECT_GT(*infeasible.target, 0.54);
  Instance nearest = instance;
  nearest.promise.target = *infeasible.target;
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(nearest, profile)));
  if (infeasible.probability) {
    nearest = instance;
    nearest.promise.probability = *infeasible.probability;
    EXPECT_TRUE(std::holds_alternative<Plan>(decide(nearest, profile)));
  }
}

TEST(MakePlan, TargetBelowEveryFloorIsCalledAFloor) {
  Spec spec = three_versions();
  spec.versions.resize(1);
  const Decision decision = decide(make_instance(spec, 0.3, 600), draw_profile(spec, 1));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(decision));
  const Infeasible& infeasible = std::get<Infeasible>(decision);
  EXPECT_EQ(infeasible.reason_class, ReasonClass::kFloor) << infeasible.reason;
  EXPECT_FALSE(infeasible.deadline_s);
  ASSERT_TRUE(infeasible.target);
  EXPECT_GT(*infeasible.target, 0.37);
  EXPECT_TRUE(infeasible.best_effort);
}

TEST(MakePlan, SmallBudgetIsNamedWithTheNearestOne) {
  Instance instance = make_instance(halving(), 0.01, 100);
  instance.promise.metric = Metric::kDualityGap;
  instance.promise.budget = 2.0;
  const Decision decision = decide(instance, draw_profile(halving(), 1));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(decision));
  const Infeasible& infeasible = std::get<Infeasible>(decision);
  EXPECT_EQ(infeasible.reason_class, ReasonClass::kBudget);
  ASSERT_TRUE(infeasible.budget);
  EXPECT_NEAR(*infeasible.budget, 2.8, 0.0011);  // Rounded up in the fourth digit.
  instance.promise.budget = infeasible.budget;
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(instance, draw_profile(halving(), 1))));
}

TEST(MakePlan, UncertainEvaluationIsBlamedOnTheValidationData) {
  Spec spec = three_versions();
  spec.versions.resize(1);
  // The margin is 1.96 * 1.41 * 0.1 = 0.28, and 0.5 - 0.28 is below every floor.
  spec.metric_se = 0.1;
  const Decision decision = decide(make_instance(spec, 0.5, 600), draw_profile(spec, 1));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(decision));
  EXPECT_EQ(std::get<Infeasible>(decision).reason_class, ReasonClass::kData);
}

TEST(MakePlan, StopsBelowTheTargetByTheWinnersMargin) {
  Spec spec = three_versions();
  spec.metric_se = 0.01;
  const Plan plan = plan_of(make_instance(spec, 0.7, 6000), draw_profile(spec, 1));
  EXPECT_NEAR(plan.stop_metric, 0.7 - 1.95996 * std::sqrt(2.0) * 0.01, 1e-6);
}

TEST(MakePlan, AccuracyIsPlannedAsOneMinusAccuracy) {
  Spec spec = three_versions();
  for (auto& version : spec.versions) version.start = 0.9, version.floor /= 3;
  Instance loss = make_instance(spec, 0.25, 600);
  Instance accuracy = loss;
  accuracy.promise.metric = Metric::kAccuracy;
  accuracy.promise.target = 0.75;
  const Profile profile = draw_profile(spec, 1);
  const auto without_words = [](Plan plan) {  // It names the metric in the user's terms.
    for (Assumption& assumption : plan.claims->assumptions) {
      if (assumption.name == "target was profiled") assumption.found.clear();
    }
    return to_json(plan);
  };
  EXPECT_EQ(without_words(plan_of(loss, profile)), without_words(plan_of(accuracy, profile)));
}

TEST(MakePlan, ScalingPricesScalesTheCostAndNothingElse) {
  const Spec spec = noisy();
  const Profile profile = draw_profile(spec, 2);
  Instance instance = make_instance(spec, 0.6, 900);
  const Plan plan = plan_of(instance, profile);
  instance.nodes[0].price_per_s *= 8;
  Plan dear = plan_of(instance, profile);
  EXPECT_DOUBLE_EQ(dear.claims->cost_mean, 8 * plan.claims->cost_mean);
  EXPECT_EQ(dear.claims->probability, plan.claims->probability);
  ASSERT_EQ(dear.blocks.size(), plan.blocks.size());
  EXPECT_EQ(dear.blocks[0].version, plan.blocks[0].version);
  EXPECT_EQ(dear.blocks[0].passes, plan.blocks[0].passes);
}

TEST(MakePlan, OrderOfTheInputsChangesNothing) {
  const Spec spec = noisy();
  Profile profile = draw_profile(spec, 2);
  Instance instance = make_instance(spec, 0.6, 900);
  instance.nodes = {{"a", 2, 0.01, 1}, {"b", 2, 0.02, 1.5}};
  instance.data = {data_set("x", 10, 1), data_set("y", 20, 0)};
  const std::string before = to_json(decide(instance, profile));
  std::reverse(profile.curves.begin(), profile.curves.end());
  std::reverse(profile.switches.begin(), profile.switches.end());
  std::reverse(instance.nodes.begin(), instance.nodes.end());
  std::reverse(instance.data.begin(), instance.data.end());
  std::reverse(instance.versions.begin() + 1, instance.versions.end());
  EXPECT_EQ(to_json(decide(instance, profile)), before);
}

TEST(MakePlan, DataThatWasNeverLeftOutStaysIn) {
  const Spec spec = three_versions();
  Instance instance = make_instance(spec, 0.6, 900);
  instance.data = {data_set("dear", 100, 50), data_set("free", 100, 0)};
  Profile profile = draw_profile(spec, 1);
  const Plan whole = plan_of(instance, profile);
  EXPECT_EQ(whole.data.size(), 2u);
  EXPECT_NE(whole.reason.find("not profiled"), std::string::npos);

  Spec half = spec;
  half.data_fraction = 0.5;
  for (const CurvePoint& point : draw_profile(half, 1).curves) profile.curves.push_back(point);
  const Plan part = plan_of(instance, profile);
  EXPECT_EQ(part.data, std::vector<std::string>{"free"});
  EXPECT_LT(part.claims->cost_mean, whole.claims->cost_mean - 40);
}

TEST(MakePlan, FewSeedsAreSaidNotToSupportThePromise) {
  Spec spec = noisy();
  spec.seeds = 3;
  const Plan plan = plan_of(make_instance(spec, 0.6, 900), draw_profile(spec, 5));
  ASSERT_FALSE(plan.claims->assumptions.empty());
  const Assumption& support = plan.claims->assumptions.back();
  EXPECT_EQ(support.name, "profile supports the promise");
  EXPECT_EQ(support.passed, plan.claims->probability_lower >= 0.95);
  EXPECT_LE(plan.claims->probability_lower, plan.claims->probability);
  EXPECT_NE(support.found.find("from 3 seeds"), std::string::npos) << support.found;
  EXPECT_EQ(plan.claims->support.seeds_needed, 45u);  // 0.95^45 < 0.1.
}

struct BadCase {
  const char* name;
  void (*spoil)(Instance&, Profile&);
  const char* expected;
};

TEST(MakePlan, BadInputsAreRefusedWithWhatToDo) {
  const BadCase cases[] = {
      {"no curve", [](Instance&, Profile& p) { p.curves.clear(); }, "no curve"},
      {"one point",
       [](Instance&, Profile& p) { std::erase_if(p.curves, [](auto& c) { return c.pass != 3; }); },
       "at least 2"},
      {"version not measured", [](Instance& i, Profile&) { i.versions.push_back("prune:0.9"); },
       "no curve for version prune:0.9"},
      {"not a number", [](Instance&, Profile& p) { p.curves[3].metric = NAN; }, "pass 3: metric"},
      {"twice", [](Instance&, Profile& p) { p.curves.push_back(p.curves[2]); }, "twice"},
      {"no workers", [](Instance&, Profile& p) { p.curves[3].workers = 0; }, "workers"},
      {"fraction", [](Instance&, Profile& p) { p.curves[3].data_fraction = 2; }, "data_fraction"},
      {"certain", [](Instance& i, Profile&) { i.promise.probability = 1; }, "try 0.95"},
      {"start",
       [](Instance&, Profile& p) {
         p.starts = {{-1, 2}};
       },
       "start with 2 workers"},
      {"endless start",
       [](Instance&, Profile& p) {
         p.starts = {{1e308, 2}};
       },
       "from 0 to 1e+09"},
      {"endless start that is paid for",
       [](Instance&, Profile& p) {
         p.starts = {{1, 2, 1e308}};
       },
       "start with 2 workers: paid_seconds"},
      {"no time", [](Instance& i, Profile&) { i.promise.deadline_s = 0; }, "deadline"},
      {"no nodes", [](Instance& i, Profile&) { i.nodes.clear(); }, "nodes: found none"},
      {"no versions", [](Instance& i, Profile&) { i.versions.clear(); }, "versions: found none"},
      {"same data twice",
       [](Instance& i, Profile&) {
         i.data = {data_set("x", 1, 0), data_set("x", 1, 0)};
       },
       "x is listed twice"},
  };
  const Spec spec = three_versions();
  for (const BadCase& bad : cases) {
    Profile profile = draw_profile(spec, 1);
    Instance instance = make_instance(spec, 0.6, 900);
    bad.spoil(instance, profile);
    const Result<Decision> decision = make_plan(instance, profile, small_options());
    ASSERT_FALSE(decision) << bad.name;
    EXPECT_EQ(decision.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(decision.error().message.find(bad.expected), std::string::npos)
        << bad.name << ": " << decision.error().message;
  }
}

TEST(MakePlan, AFewShortCurvesGiveASanePlan) {
  // The profile is like a quick one: 4 passes, 2 seeds, noise.
  Spec spec = noisy();
  spec.passes = 4;
  spec.seeds = 2;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Decision decision = decide(make_instance(spec, 0.8, 600), draw_profile(spec, seed));
    const Plan* plan = std::get_if<Plan>(&decision);
    if (plan == nullptr) plan = &*std::get<Infeasible>(decision).best_effort;
    EXPECT_TRUE(std::isfinite(plan->claims->cost_mean));
    EXPECT_GT(plan->claims->cost_mean, 0);
    EXPECT_LE(plan->claims->seconds_mean, 610);
  }
}

}  // namespace make_plan_test
}  // namespace surety::plan
