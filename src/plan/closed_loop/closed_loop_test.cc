#include "plan/closed_loop/closed_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "plan/closed_loop/calibrate.h"
#include "plan/decision/simulate.h"
#include "test/support/plan/decision/hull.h"
#include "test/support/plan/reference_instance.h"

namespace surety::plan {
namespace closed_loop_test {

ClosedLoopOptions small(const MaskOptions& mask = {}) {
  return {.grid = {60, 120}, .classes = 3, .mask = mask};
}

std::shared_ptr<const ClosedLoopModel> model_of(const Setting& setting,
                                                const MaskOptions& mask = {}) {
  return std::make_shared<const ClosedLoopModel>(setting, small(mask));
}

// The state after so many of the 360 seconds.
DecisionState state_at(double seconds, double metric, std::size_t variant,
                       const RunBelief& belief) {
  DecisionState state{.seconds = seconds, .seconds_left = 360 - seconds, .metric = metric};
  state.variant = variant;
  state.belief = &belief;
  return state;
}

TEST(ClosedLoop, SuccessIsPromisedAndKept) {
  const auto model = model_of(reference::spot_mix());
  for (const double omega : {0.9, 0.99}) {
    const Calibration found = calibrate(model, omega, {}, {.runs = 1000});
    ASSERT_TRUE(found.keeps);
    // Uses other random numbers than those of the choice.
    const Outcome again = simulate(model->setting(), *found.policy, {.seed = 99, .runs = 2000});
    EXPECT_GE(again.probability, omega - 3 * std::sqrt(omega * (1 - omega) / 1000));
  }
}

// Counts the runs that the policy abandons, and those of them that it let fail before, by an action
// that left less than half of the success that could be reached.
struct Abandoned {
  int given_up = 0;
  int let_fail = 0;
};

Abandoned count_abandoned(const ClosedLoop& policy, const Setting& world) {
  Abandoned count;
  bool halved = false;
  SimulateOptions options{.seed = 3, .runs = 400};
  options.watch = [&](const DecisionState& state, const Move& move) {
    if (state.seconds == 0) halved = false;
    double in_reach = 0;
    double after = 0;
    for (const ClosedLoop::Option& option : policy.options(state)) {
      in_reach = std::max(in_reach, option.success);
      const bool taken =
          option.stop ? move.stops() : !move.stops() && option.variant == move.variant;
      if (taken) after = option.success;
    }
    if (in_reach > 0.5 && after < in_reach / 2) halved = true;
    if (!move.stops() || after >= 0.5) return;
    count.given_up += 1;
    count.let_fail += halved;
  };
  (void)simulate(world, policy, options);
  return count;
}

TEST(ClosedLoop, LetsNoRunFail) {
  const Setting setting = reference::one_cluster();
  const ClosedLoop masked(model_of(setting), 0);  // A success has no value here.
  EXPECT_EQ(count_abandoned(masked, setting).let_fail, 0);
  const Outcome outcome = simulate(setting, masked, {.seed = 3, .runs = 400});
  EXPECT_GT(outcome.probability, 0.9);
}

TEST(ClosedLoop, IfEveryActionIsAdmissibleItIsPaidToFail) {
  const Setting setting = reference::one_cluster();
  // The value of a success is below its cost.
  const ClosedLoop any(model_of(setting, {.kappa = 0}), 150);
  const Outcome outcome = simulate(setting, any, {.seed = 3, .runs = 400});
  EXPECT_LT(outcome.probability, 0.5);
}

TEST(ClosedLoop, RunsOnSpotAndGoesOverToOnDemandWhenTimeRunsOut) {
  const Setting setting = reference::spot_mix();
  const ClosedLoop policy(model_of(setting), 1000);
  RunBelief belief(setting, 1);
  // The full version on spot is at 0.6; the target 0.54 is about 8 passes of 10 s away.
  belief.on_pass(1, 0.6);
  EXPECT_EQ(policy.next(state_at(50, 0.6, 1, belief)).variant % 2, 1u);  // Stays on spot.
  // Changes to the full version on demand.
  EXPECT_EQ(policy.next(state_at(260, 0.6, 1, belief)).variant, 0u);
}

TEST(ClosedLoop, StopsWhenTheTargetIsMetAndOnlyThen) {
  const Setting setting = reference::spot_mix();
  const ClosedLoop policy(model_of(setting), 1000);
  for (const double metric : {0.5399, 0.5401}) {
    RunBelief belief(setting, 0);
    belief.on_pass(0, metric);
    const DecisionState state = state_at(50, metric, 0, belief);
    EXPECT_EQ(policy.next(state).choice == Choice::kStopMet, metric <= 0.54) << metric;
  }
}

TEST(ClosedLoop, StopsForTheCheckpointInHandNotForTheCourseOfTheRun) {
  Setting setting = reference::spot_mix();
  for (VersionLaw& law : setting.laws.versions) law.jitter = 0.02;
  const ClosedLoop policy(model_of(setting), 1000);
  RunBelief good(setting, 0);
  RunBelief bad(setting, 0);
  for (int pass = 1; pass <= 15; ++pass) {
    good.on_pass(0, 0.53);
    bad.on_pass(0, 0.55);
  }
  EXPECT_FALSE(policy.next(state_at(50, 0.56, 0, good)).stops());  // The checkpoint was unlucky.
  EXPECT_EQ(policy.next(state_at(50, 0.535, 0, bad)).choice, Choice::kStopMet);
}

TEST(ClosedLoop, TrainsOnForAMarginThatCertificationNeeds) {
  Setting setting = reference::spot_mix();
  setting.evaluation_se = 0.01;
  const ClosedLoop policy(model_of(setting), 1000);
  RunBelief belief(setting, 0);
  belief.on_pass(0, 0.5399);  // Would be certified half of the time.
  const DecisionState state = state_at(50, 0.5399, 0, belief);
  EXPECT_FALSE(policy.next(state).stops());
}

TEST(ClosedLoop, HopelessRunsAreGivenUp) {
  const Setting setting = reference::spot_mix();
  const ClosedLoop policy(model_of(setting), 1000);
  RunBelief belief(setting, 0);
  belief.on_pass(0, 1.5);
  const DecisionState state = state_at(330, 1.5, 0, belief);
  EXPECT_EQ(policy.next(state).choice, Choice::kStopHopeless);
}

TEST(ClosedLoop, RunStopsWhereNoMoneyIsLeftForAPass) {
  const Setting setting = reference::spot_mix();
  const ClosedLoop policy(model_of(setting), 1000);
  RunBelief belief(setting, 0);
  belief.on_pass(0, 0.8);
  DecisionState state = state_at(50, 0.8, 0, belief);
  state.money_left = 0.01;
  EXPECT_EQ(policy.next(state).choice, Choice::kStopNoMoney);
}

TEST(ClosedLoop, ASlowRunIsHelpedByTheBeliefAboutIt) {
  Setting setting = reference::spot_mix();
  setting.laws.run_effect = 0.3;
  const ClosedLoop policy(model_of(setting), 1000);
  const auto success = [&](double pace) {
    RunBelief belief(setting, 0);
    for (int pass = 1; pass <= 6; ++pass)
      belief.on_pass(0, setting.law_of(0).curve.at(pace * pass));
    belief.on_pass(0, 0.7);
    const DecisionState state = state_at(150, 0.7, 0, belief);
    double best = 0;
    for (const auto& option : policy.options(state)) best = std::max(best, option.success);
    return best;
  };
  // The metric is the same, but the runs learn at different speeds.
  EXPECT_GT(success(1.35), success(0.7));
}

// ---- the promise as a whole ---------------------------------------------------------------------

double optimum(const Setting& setting, double omega, std::uint32_t ticks = 90) {
  const MdpOptions grid{60, ticks};
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  const Hull found = hull(make_mdp(setting, levels, grid, RunClass{}), make_starts(setting, levels),
                          omega, nullptr, {});
  EXPECT_TRUE(found.is_feasible);
  return found.cost_at_omega;
}

TEST(Optimum, MoreTimeAnEasierTargetOrCheaperNodesNeverCostMore) {
  const Setting setting = reference::spot_mix();
  const double cost = optimum(setting, 0.9);
  Setting later = setting;
  later.deadline_s *= 4.0 / 3;
  EXPECT_LE(optimum(later, 0.9, 120), cost + 1e-9);  // Ticks of the same length, but more of them.
  Setting easier = setting;
  easier.target = easier.stop_metric = 0.56;
  EXPECT_LT(optimum(easier, 0.9), cost);
  Setting cheaper = setting;
  for (Variant& variant : cheaper.variants) variant.price_per_s *= 0.9;
  EXPECT_NEAR(optimum(cheaper, 0.9), 0.9 * cost, 1e-6);
}

TEST(Optimum, HigherPromiseNeverCostsLess) {
  const Setting setting = reference::spot_mix();
  double cost = 0;
  for (const double omega : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    const double next = optimum(setting, omega);
    EXPECT_GE(next, cost);
    cost = next;
  }
}

TEST(Optimum, AnotherOptionNeverCostsMore) {
  Setting fewer = reference::spot_mix();
  const double cost = optimum(fewer, 0.9);
  fewer.variants.pop_back();
  const double without = optimum(fewer, 0.9);
  EXPECT_GE(without, cost - 1e-9);
}

TEST(Optimum, OrderOfTheVariantsDoesNotMatter) {
  const Setting setting = reference::spot_mix();
  Setting turned = setting;
  std::reverse(turned.variants.begin(), turned.variants.end());
  EXPECT_NEAR(optimum(turned, 0.9), optimum(setting, 0.9), 1e-9);
}

TEST(Optimum, RoundingUpAndDownEncloseIt) {
  const Setting setting = reference::one_cluster();
  const MdpOptions grid{100, 120};
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  const auto value = [&](Rounding rounding) {
    Mdp mdp = make_mdp(setting, levels, grid, RunClass{});
    for (std::size_t v = 0; v < 4; ++v) {
      mdp.variants[v].pass = class_pass_kernel(levels, setting.law_of(v), 1, rounding);
    }
    const Table next_passes = next_pass_values(mdp, 1000, nullptr, {});
    double best = 0;
    for (std::size_t v = 0; v < 4; ++v)
      best = std::min(best, next_passes.at(0, v, grid.levels - 2));
    return best;
  };
  const double up = value(Rounding::kUp);
  const double linear = value(Rounding::kLinear);
  const double down = value(Rounding::kDown);
  EXPECT_LE(down, linear);
  EXPECT_LE(linear, up);
}

TEST(Calibrate, LawsThatTheProfileLeavesOpenRaiseThePrice) {
  const Setting setting = reference::spot_mix();
  std::vector<Setting> worlds(10, setting);
  for (std::size_t i = 0; i < 3; ++i) {
    for (VersionLaw& law : worlds[i].laws.versions) law.rate = 0.85;
  }
  const auto model = model_of(setting);
  const CalibrateOptions options{.runs = 500, .world_runs = 200};
  const Calibration plain = calibrate(model, 0.9, {}, options);
  const Calibration certified = calibrate(model, 0.9, worlds, options);
  ASSERT_TRUE(plain.keeps);
  EXPECT_LE(percentile_of_worlds(*certified.policy, worlds, options),
            certified.outcome.probability + 0.05);
  if (certified.supported) {
    EXPECT_GE(certified.policy->lambda(), plain.policy->lambda());
  }
}

TEST(Calibrate, PromiseThatTooManyLawsBreakIsNotSupported) {
  const Setting setting = reference::spot_mix();
  std::vector<Setting> worlds(10, setting);
  for (std::size_t i = 0; i < 2; ++i) {
    for (VersionLaw& law : worlds[i].laws.versions) law.rate = 0.2;
  }
  const auto model = model_of(setting);
  const CalibrateOptions options{.runs = 500, .world_runs = 100};
  const Calibration found = calibrate(model, 0.9, worlds, options);
  EXPECT_TRUE(found.keeps);
  EXPECT_FALSE(found.supported);
  EXPECT_LT(percentile_of_worlds(*found.policy, worlds, options), 0.9);
  worlds.pop_back();
  worlds[1] = worlds[5];  // Now one of nine worlds fails.
  EXPECT_TRUE(calibrate(model, 0.85, worlds, {.runs = 500, .world_runs = 100, .confidence = 0.85})
                  .supported);
}

TEST(Calibrate, WhereChanceIsAgainstAPolicyTheNextMoreDependableIsTaken) {
  static constexpr double kOmega = 0.95;
  const auto model = model_of(reference::spot_mix());
  const CalibrateOptions options{.runs = 300};
  const Calibration plain = calibrate(model, kOmega, {}, options);
  ASSERT_TRUE(plain.keeps);
  std::size_t raised = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    CalibrateOptions twice = options;
    twice.again = CalibrateOptions::Again{seed, 20};
    const Calibration found = calibrate(model, kOmega, {}, twice);
    if (found.policy->lambda() > plain.policy->lambda()) {
      EXPECT_GE(found.again.probability, kOmega);
      raised += 1;
    } else {
      EXPECT_EQ(found.policy->lambda(), plain.policy->lambda());
    }
  }
  EXPECT_GT(raised, 0u);
}

}  // namespace closed_loop_test
}  // namespace surety::plan
