// Plans promise no more than the profile supports: for numbers of nodes, stuck seeds, and
// extrapolation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "plan/laws/curve_fit.h"
#include "plan/laws/posterior.h"
#include "plan/laws/profile_fit.h"
#include "plan/planner/nearest.h"
#include "plan/planner/plan_testing.h"

namespace surety::plan {
namespace evidence_test {

using namespace synthetic;

constexpr double kIn5Passes = 1.01 / 32;  // Reached in 5 passes by a gap that halves.

// ---- numbers of nodes ---------------------------------------------------------------------------

// 4 nodes halve the gap in passes of 10 s. One node takes 12 s a pass and needs `passes` passes for
// that.
Profile on_four_and_one(double passes) {
  Spec spec = halving();
  Profile profile = draw_profile(spec, 1);
  spec.workers = 1;
  spec.versions[0].pass_s = 12;
  spec.versions[0].rate = std::log(2.0) / passes;
  append(profile, draw_profile(spec, 1));
  return profile;
}

TEST(NodesOfAPlan, CurveMeasuredOnAsManyNodesDecides) {
  // On 4 nodes: 5 passes cost 5 * 10 * 4 * 0.01 = 2. On one node: 5 * 12 * 0.01 = 0.6 if it learns
  // as fast, and 2.4 with 4 times the passes.
  const Instance instance = gap_instance(halving(), kIn5Passes, 600);
  const Plan one = plan_of(instance, on_four_and_one(1));
  EXPECT_EQ(one.blocks[0].nodes, 1u);
  EXPECT_NEAR(one.claims->cost_mean, 0.6, 1e-6);
  const Plan four = plan_of(instance, on_four_and_one(4));
  EXPECT_EQ(four.blocks[0].nodes, 4u);
  EXPECT_NEAR(four.claims->cost_mean, 2, 1e-6);
}

TEST(NodesOfAPlan, NumberThatWasNotProfiledIsNoOption) {
  Instance instance = gap_instance(halving(), kIn5Passes, 600);
  instance.nodes[0].count = 64;
  const Plan plan = plan_of(instance, draw_profile(halving(), 1));
  // The plan does not use 1 node, although no measurement speaks against it.
  EXPECT_EQ(plan.blocks[0].nodes, 4u);
  EXPECT_TRUE(plan.claims->runners_up.empty());
  EXPECT_EQ(assumption_of(plan, "number of nodes was profiled").name, "");
}

TEST(NodesOfAPlan, DivergenceOnOneNodeIsNotPlannedWith) {
  Profile profile = draw_profile(halving(), 1);
  for (CurvePoint point : draw_profile(halving(), 1).curves) {
    point.workers = 1;
    point.metric = 1 + point.pass;
    profile.curves.push_back(point);
  }
  EXPECT_EQ(plan_of(gap_instance(halving(), kIn5Passes, 600), profile).blocks[0].nodes, 4u);
}

TEST(NodesOfAPlan, FewerThanWereEverProfiledIsAnAssumption) {
  Instance instance = gap_instance(halving(), kIn5Passes, 600);
  instance.nodes[0].count = 2;
  const Plan plan = plan_of(instance, draw_profile(halving(), 1));
  EXPECT_EQ(plan.blocks[0].nodes, 2u);
  EXPECT_DOUBLE_EQ(*plan.blocks[0].pass_s, 20);
  const Assumption missing = assumption_of(plan, "number of nodes was profiled");
  EXPECT_FALSE(missing.passed);
  EXPECT_NE(missing.found.find("full on 4 nodes"), std::string::npos) << missing.found;
}

TEST(NodesOfAPlan, JumpsArePooledOverThem) {
  Spec spec = three_versions();
  // The passes are on 4 nodes, with jumps of a factor 1.03.
  Profile profile = draw_profile(spec, 1);
  spec.workers = 2;
  Profile two = draw_profile(spec, 1);
  two.switches.clear();
  append(profile, two);
  const Laws laws = fit_laws({"full", "prune:0.5"}, runs_of(profile), profile.switches, 1, {});
  ASSERT_EQ(laws.versions.size(), 4u);
  ASSERT_EQ(laws.switches.size(), 2u);
  EXPECT_NEAR(laws.switches[1][0].log_mean, std::log(1.03), 1e-12);
}

// Standard deviation of a law's rate over the draws.
double rate_spread(const std::vector<Laws>& draws, std::size_t law) {
  std::vector<double> rates;
  for (const Laws& draw : draws) {
    const VersionLaw& one = draw.versions[law];
    rates.push_back(std::log(one.curve.progress(0.6) / one.rate));
  }
  return std::sqrt(variance(rates));
}

TEST(PosteriorDraws, LawWithFewerSeedsIsLessCertain) {
  Spec spec;
  spec.versions = {{.name = "full", .noise = 0.2}};
  spec.run_effect = 0.2;
  spec.seeds = 16;
  spec.passes = 20;
  Profile profile = draw_profile(spec, 2);
  spec.workers = 2;
  spec.seeds = 2;
  append(profile, draw_profile(spec, 2));
  const std::vector<ProfileRun> runs = runs_of(profile);
  const Laws laws = fit_laws({"full"}, runs, {}, 1, {});
  ASSERT_EQ(laws.versions[0].seeds, 2u);
  ASSERT_EQ(laws.versions[1].seeds, 16u);
  const auto draws = posterior_draws({"full"}, runs, {}, laws, {}, 60, 1);
  EXPECT_GT(rate_spread(draws, 0), 2 * rate_spread(draws, 1));
}

// ---- seeds that get stuck -----------------------------------------------------------------------

Profile with_stuck(std::uint32_t seeds, std::uint32_t stuck) {
  Spec spec = halving();
  spec.seeds = seeds;
  Profile profile = draw_profile(spec, 1);
  for (CurvePoint& point : profile.curves) {
    if (point.seed < stuck) point.metric = 1;
  }
  return profile;
}

TEST(StuckSeeds, TheirShareOfTheRunsFails) {
  // With 1 of 5 stuck, (1 + 1/2) / (5 + 1) = 25 % of the runs fail and use all the time. The others
  // take 5 passes.
  Instance instance = gap_instance(halving(), kIn5Passes, 400);
  instance.promise.probability = 0.7;
  const Plan plan =
      plan_of(instance, with_stuck(5, 1), {.planner = Planner::kOpenLoop, .simulated_runs = 4000});
  EXPECT_NEAR(plan.claims->probability, 0.75, 3 * std::sqrt(0.75 * 0.25 / 4000));
  EXPECT_NEAR(plan.claims->cost_mean, 0.75 * 2 + 0.25 * 16, 0.4);
  EXPECT_LT(plan.claims->probability_lower, 0.7);
  const Assumption assumption = assumption_of(plan, "training does not get stuck");
  EXPECT_FALSE(assumption.passed);
  EXPECT_NE(assumption.found.find("1 of 5 seeds"), std::string::npos) << assumption.found;
}

TEST(StuckSeeds, TheOthersGiveTheCurve) {
  // With 3 of them, the median of all 5 is stuck.
  for (const std::uint32_t stuck : {0u, 1u, 2u, 3u}) {
    const Profile profile = with_stuck(5, stuck);
    const Laws laws = fit_laws({"full"}, runs_of(profile), {}, 1, {.floor_max = 0});
    EXPECT_NEAR(laws.versions[0].rate, std::log(2.0), 1e-3) << stuck;
    EXPECT_EQ(laws.versions[0].stuck_seeds, stuck);
  }
}

TEST(StuckSeeds, TooManyAreTheReasonToRefuse) {
  const Infeasible refused = refusal_of(gap_instance(halving(), kIn5Passes, 400), with_stuck(5, 1));
  EXPECT_EQ(refused.reason_class, ReasonClass::kStuck);
  EXPECT_NE(refused.reason.find("1 of 5 seeds"), std::string::npos) << refused.reason;
  ASSERT_TRUE(refused.probability);
  EXPECT_NEAR(*refused.probability, 0.75, 0.08);
}

TEST(Obstacle, ALimitForPassesBelowTheTargetIsTheReasonToRefuse) {
  Instance instance = gap_instance(halving(), kIn5Passes, 400);
  instance.passes_max = 3;
  for (const PlanOptions& options : {small_options(), small_closed_options()}) {
    const Infeasible refused = refusal_of(instance, draw_profile(halving(), 1), options);
    EXPECT_EQ(refused.reason_class, ReasonClass::kPasses);
    EXPECT_NE(refused.reason.find("training ends after 3 passes (train.passes_max)"),
              std::string::npos)
        << refused.reason;
  }
}

TEST(StuckSeeds, NumberOfNodesWithoutThemIsChosen) {
  Profile profile = on_four_and_one(1);  // One node is cheaper, but has stuck seeds.
  for (CurvePoint& point : profile.curves) {
    if (point.workers == 1 && point.seed == 0) point.metric = 1;
  }
  EXPECT_EQ(plan_of(gap_instance(halving(), kIn5Passes, 600), profile).blocks.back().nodes, 4u);
}

TEST(StuckSeeds, NoneIsSaidButNotPlannedWith) {
  const Plan plan = plan_of(gap_instance(halving(), kIn5Passes, 600), with_stuck(5, 0));
  const Assumption assumption = assumption_of(plan, "training does not get stuck");
  EXPECT_TRUE(assumption.passed);
  EXPECT_EQ(assumption.found, "0 of 5 seeds of full on 4 nodes were stuck");
  EXPECT_EQ(plan.claims->probability, 1);
}

// ---- extrapolation ------------------------------------------------------------------------------

TEST(Extrapolation, TwiceThePassesArePlannedAndSaid) {
  // 8 passes were profiled, down to a gap of 1/256.
  const Plan plan =
      plan_of(gap_instance(halving(), std::ldexp(1.01, -12), 600), draw_profile(halving(), 1));
  EXPECT_EQ(plan.blocks[0].passes, 12u);
  const Assumption assumption = assumption_of(plan, "target was profiled");
  EXPECT_FALSE(assumption.passed);
  EXPECT_NE(assumption.found.find("about 12 passes"), std::string::npos) << assumption.found;
}

TEST(Extrapolation, AnAccuracyIsSaidAsAnAccuracy) {
  Instance instance = gap_instance(halving(), 0, 600);
  instance.promise.metric = Metric::kAccuracy;
  instance.promise.target = 1 - std::ldexp(1.01, -12);
  const Plan plan = plan_of(instance, draw_profile(halving(), 1));
  // The best profiled gap is 1/256.
  const std::string found = assumption_of(plan, "target was profiled").found;
  EXPECT_TRUE(found.starts_with("the best was 0.9961 (full")) << found;
  EXPECT_NE(found.find("needed 0.9998"), std::string::npos) << found;
}

TEST(Extrapolation, FartherIsRefusedWithThePassesToProfile) {
  const Infeasible refused =
      refusal_of(gap_instance(halving(), std::ldexp(1.01, -30), 600), draw_profile(halving(), 1));
  EXPECT_EQ(refused.reason_class, ReasonClass::kProfile);
  EXPECT_NE(refused.reason.find("lowest 0.003906 after 8 passes"), std::string::npos)
      << refused.reason;
  EXPECT_NE(refused.reason.find("about 30 passes"), std::string::npos) << refused.reason;
  ASSERT_TRUE(refused.target);
  EXPECT_GE(*refused.target, std::ldexp(1, -16));
  EXPECT_LE(*refused.target, 1.05 * std::ldexp(1, -16));
}

TEST(Extrapolation, WhereNoLawFitsNothingBeyondTheProfileIsPlanned) {
  Profile profile = draw_profile(halving(), 1);
  for (CurvePoint& point : profile.curves) {
    if (point.pass == 3 || point.pass == 6) point.metric = 0.9;
  }
  const Laws laws = fit_laws({"full"}, runs_of(profile), {}, 1, {.floor_max = 0});
  const VersionLaw& law = laws.versions[0];
  EXPECT_GT(law.fit_error, kFitErrorMax);
  EXPECT_LT(law.curve.at(16 * law.rate), std::ldexp(1, -8));  // The curve alone would promise more.
  EXPECT_DOUBLE_EQ(law.metric_supported, std::ldexp(1, -8));
}

TEST(Extrapolation, FloorThatNoiseMayHavePutThereIsNotCalledOne) {
  Spec spec;
  spec.versions = {{.name = "full", .floor = 0.38, .noise = 0.4}};
  spec.passes = 8;
  std::size_t floors = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Infeasible refused = refusal_of(make_instance(spec, 0.3, 600), draw_profile(spec, seed));
    EXPECT_TRUE(refused.reason_class == ReasonClass::kProfile ||
                refused.reason_class == ReasonClass::kFloor);
    floors += refused.reason_class == ReasonClass::kFloor;
  }
  EXPECT_LE(floors, 3u);
}

TEST(Extrapolation, AccuracyIsSpokenOfAsAccuracy) {
  Spec spec = halving();
  spec.versions[0].start = 0.9;
  Instance instance = make_instance(spec, 0.999999, 600);
  instance.promise.metric = Metric::kAccuracy;
  const Infeasible refused = refusal_of(instance, draw_profile(spec, 1));
  EXPECT_NE(refused.reason.find("above all measurements (highest 0.9965"), std::string::npos)
      << refused.reason;
}

// ---- bands and numbers --------------------------------------------------------------------------

TEST(Bands, CoverFromTheStartToWhat95PercentNeed) {
  // The runs need 50 s of the 6000 s.
  const Plan plan = plan_of(gap_instance(halving(), kIn5Passes, 6000), draw_profile(halving(), 1));
  ASSERT_GE(plan.claims->bands.size(), 10u);
  EXPECT_EQ(plan.claims->bands.front().seconds, 0);
  EXPECT_GE(plan.claims->bands.back().seconds, plan.claims->seconds_95);
  EXPECT_LE(plan.claims->bands[1].seconds, 10);
  EXPECT_LE(plan.claims->bands.back().q95, plan.stop_metric);
}

TEST(Explain, WritesNumbersForPeople) {
  Spec spec = halving();
  spec.versions[0].pass_s = 17.3456789;
  const Instance instance = gap_instance(spec, 0.0123456789, 600);
  const std::string text = explain(decide(instance, draw_profile(spec, 1)), instance.promise);
  EXPECT_NE(text.find("at most 0.01235 within 10min, with probability 95 %"), std::string::npos)
      << text;
  EXPECT_NE(text.find("2min 1s on average"), std::string::npos) << text;
  EXPECT_NE(text.find("17.3s a pass"), std::string::npos) << text;
}

}  // namespace evidence_test
}  // namespace surety::plan
