// The baselines: planning with means, and calibration by simulation.
#include "plan/schedules/mean_planner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/decision/setting_mdp.h"
#include "plan/schedules/calibrated.h"
#include "test/support/plan/decision/hull.h"
#include "test/support/plan/reference_instance.h"
#include "test/support/plan/schedules/blind_testing.h"
#include "test/support/plan/schedules/evaluate_fixed.h"
#include "test/support/plan/schedules/fixed_search.h"
#include "test/support/plan/schedules/label_setting.h"
#include "test/support/plan/schedules/open_loop_plan.h"
#include "test/support/plan/schedules/row_means.h"

namespace surety::plan {
namespace mean_planner_test {

using testing::sure_mdp;
using testing::tiny_mdp;
using testing::tiny_starts;

std::vector<double> level_numbers(const Mdp& mdp) {
  std::vector<double> numbers;
  for (std::size_t l = 0; l < mdp.levels(); ++l) numbers.push_back(static_cast<double>(l));
  return numbers;
}

TEST(MeanPlanner, WithoutNoiseItIsTheExactOpenLoopPlanner) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Mdp mdp = sure_mdp(seed);
    const auto starts = tiny_starts(mdp);
    const auto exact = label_setting(mdp, starts, {0.9}, {.rule = LabelRule::kExact}).plans[0];
    const auto depl = label_setting(mdp, starts, {0.9}, {}).plans[0];
    const auto mean = mean_schedule(mdp, starts, mean_curves(mdp, starts, level_numbers(mdp)), {});
    ASSERT_EQ(mean.has_value(), exact.has_value()) << "seed " << seed;
    if (!mean) continue;
    feasible += 1;
    EXPECT_NEAR(mean->cost, exact->cost, 1e-12) << "seed " << seed;
    EXPECT_EQ(exact->probability, 1);
    // Without randomness in the levels, DepL finds the optimum.
    EXPECT_NEAR(depl->cost, exact->cost, 1e-12) << "seed " << seed;
  }
  EXPECT_GT(feasible, 20);
}

TEST(MeanPlanner, FollowsTheMeanAndSoSucceedsHalfOfTheTime) {
  // A pass goes down two levels or none with equal chance: from level 4, four passes on average.
  Mdp mdp;
  mdp.ticks = 10;
  mdp.success = {1, 0, 0, 0, 0};
  Kernel pass;
  pass.add_row(0, {1.0});
  pass.add_row(0, {0.5, 0.5});
  for (std::uint32_t l = 2; l < 5; ++l) pass.add_row(l - 2, {0.5, 0, 0.5});
  mdp.variants.push_back({.pass = pass, .duration = {0, 1}, .cost = 1});
  mdp.switches = {{}};
  // One level less with each pass, without absorption.
  const MeanCurves curves{{-9, 9}, {{-10, 8}}, {}, {4}};
  const auto plan = mean_schedule(mdp, tiny_starts(mdp), curves, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->schedule, (Schedule{{0, 4}}));
  // The chance that at least two of four coins show heads is 11/16.
  EXPECT_NEAR(evaluate_fixed(mdp, tiny_starts(mdp), plan->schedule)->probability, 0.6875, 1e-12);
  const auto careful = mean_schedule(mdp, tiny_starts(mdp), curves, {.margin = 2});
  EXPECT_EQ(careful->schedule, (Schedule{{0, 6}}));
  EXPECT_TRUE(mean_schedule(mdp, tiny_starts(mdp), curves, {.margin = 2, .deadline_share = 0.6}));
  EXPECT_FALSE(mean_schedule(mdp, tiny_starts(mdp), curves, {.margin = 2, .deadline_share = 0.5}));
}

TEST(MeanPlanner, LawsAndKernelsHaveTheSameMeansAboveTheTarget) {
  const Setting setting = reference::one_cluster();
  const std::vector<double> levels = metric_levels(setting, 200);
  const Mdp mdp = make_mdp(setting, levels, {.ticks = 360}, RunClass{});
  const auto starts = make_starts(setting, levels);
  const MeanCurves of_laws = mean_curves(setting, mdp, starts);
  const MeanCurves of_rows = mean_curves(mdp, starts, levels);
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::size_t l = 60; l < 140; l += 20) {
      const auto at = std::lower_bound(of_laws.metrics.begin(), of_laws.metrics.end(), levels[l]);
      const double after = of_laws.pass[v][static_cast<std::size_t>(at - of_laws.metrics.begin())];
      // Noise bends the curve a little, and points are half a percent apart.
      EXPECT_NEAR(of_rows.pass[v][l] / after, 1, 0.02);
    }
  }
}

// Success probabilities are those of the graph, less `bias`.
SimulateSchedule graph_less(const Mdp& mdp, const std::vector<MdpStart>& starts, double bias) {
  return [&mdp, &starts, bias](const Schedule& schedule) -> ScheduleOutcome {
    const auto plan = evaluate_fixed(mdp, starts, schedule);
    return {plan->probability - bias, plan->cost};
  };
}

TEST(Calibrated, AsksForMoreWhereSimulationsDisappoint) {
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mdp mdp = tiny_mdp({.levels = 6, .ticks = 12}, seed);
    const auto starts = tiny_starts(mdp);
    const auto honest = open_loop_plan(mdp, starts, graph_less(mdp, starts, 0), 0.8, {}, {});
    const auto biased = open_loop_plan(mdp, starts, graph_less(mdp, starts, 0.05), 0.8, {}, {});
    if (!honest || !honest->keeps || !biased->keeps) continue;
    kept += 1;
    EXPECT_GE(biased->outcome.probability, 0.8);
    EXPECT_GE(biased->outcome.probability + 0.05, 0.85 - 1e-9);
    EXPECT_GE(biased->outcome.cost, honest->outcome.cost - 1e-9);
  }
  EXPECT_GT(kept, 5);
}

TEST(Calibrated, AsksForLessWhereSimulationsDoBetter) {
  int cheaper = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mdp mdp = tiny_mdp({.levels = 6, .ticks = 12}, seed);
    const auto starts = tiny_starts(mdp);
    const auto planned = label_setting(mdp, starts, {0.8}, {}).plans[0];
    if (!planned) continue;
    const auto plan = open_loop_plan(mdp, starts, graph_less(mdp, starts, -0.1), 0.8, {}, {});
    ASSERT_TRUE(plan && plan->keeps);
    EXPECT_LE(plan->outcome.cost, planned->cost);
    cheaper += plan->outcome.cost < planned->cost ? 1 : 0;
  }
  EXPECT_GT(cheaper, 3);
}

TEST(Calibrated, MarginMakesTheMeanPlanKeepThePromise) {
  const Setting setting = reference::one_cluster();
  const std::vector<double> levels = metric_levels(setting, 60);
  const Mdp mdp = make_mdp(setting, levels, {.ticks = 120}, RunClass{});
  const auto starts = make_starts(setting, levels);
  const MeanCurves curves = mean_curves(setting, mdp, starts);
  const auto simulate = graph_less(mdp, starts, 0);
  const MeanOptions options{.target = setting.target, .blocks_max = 2};
  const auto naive = mean_schedule(mdp, starts, curves, options);
  ASSERT_TRUE(naive);
  EXPECT_LT(simulate(naive->schedule).probability, 0.9);
  const auto plan = mean_plan(mdp, starts, curves, simulate, 0.95, options, {});
  ASSERT_TRUE(plan && plan->keeps);
  EXPECT_GT(plan->outcome.cost, naive->cost);
  const auto exact = fixed_search(mdp, starts, {0.95}, 2).plans[0];
  ASSERT_TRUE(exact);
  EXPECT_GE(plan->outcome.cost, exact->cost - 1e-9);
  EXPECT_LT(plan->outcome.cost, 1.1 * exact->cost);
}

TEST(Calibrated, SaysWhenNothingKeepsThePromise) {
  const Mdp mdp = tiny_mdp({.levels = 6, .ticks = 12}, 1);
  const auto starts = tiny_starts(mdp);
  const auto plan = open_loop_plan(mdp, starts, graph_less(mdp, starts, 0.5), 0.8, {}, {});
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->keeps);
}

TEST(Optimum, WithoutChanceOpenClosedAndMeanPlannerAgree) {
  Setting setting = reference::one_cluster();
  for (VersionLaw& law : setting.laws.versions) law.noise = 0;
  for (auto& row : setting.laws.switches) {
    for (SwitchLaw& law : row) law.log_sd = 0;
  }
  // The law halves the metric and the levels halve as well, so nothing is rounded.
  for (VersionLaw& law : setting.laws.versions) {
    law.curve = {Shape::kExponential, 0, 1, 1};
    law.rate = std::log(2.0);
    law.metric_supported = 0;
  }
  for (auto& row : setting.laws.switches) {
    for (SwitchLaw& law : row) law.log_mean = std::log(2.0);
  }
  setting.target = setting.stop_metric = 1.0 / 64;
  std::vector<double> levels;
  for (int i = 6; i >= 0; --i) levels.push_back(std::pow(0.5, i));
  levels.push_back(2);
  const MdpOptions grid{8, 360};
  const Mdp mdp = make_mdp(setting, levels, grid, RunClass{});
  const std::vector<MdpStart> starts = make_starts(setting, levels);
  const Hull closed = hull(mdp, starts, 0.999, nullptr, {});
  const LabelResult open = label_setting(mdp, starts, {0.999}, {.rule = LabelRule::kExact});
  const auto mean = mean_schedule(mdp, starts, mean_curves(setting, mdp, starts),
                                  {.target = setting.target + 1e-9});
  ASSERT_TRUE(closed.is_feasible && open.plans[0] && mean);
  EXPECT_NEAR(closed.high.cost, open.plans[0]->cost, 1e-6);
  EXPECT_NEAR(closed.high.cost, mean->cost, 1e-6);
  EXPECT_NEAR(closed.high.cost, 6 * 0.7, 1e-6);  // Six passes of the cheapest version.
}

}  // namespace mean_planner_test
}  // namespace surety::plan
