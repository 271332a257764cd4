// Kernels, the expanded graph, the simulation, and the choice of data and nodes.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/statistics.h"
#include "plan/decision/grid.h"
#include "plan/decision/kernel.h"
#include "plan/nodes/placement.h"
#include "plan/problem/problem.h"
#include "plan/schedules/open_loop.h"
#include "plan/schedules/pipeline.h"
#include "plan/support.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace schedule_test {

Setting setting_of(const synthetic::Spec& spec, double target, double deadline_s) {
  Setting setting;
  setting.laws = synthetic::true_laws(spec);
  setting.variants = make_variants(setting.laws, {{"local", spec.workers, 0.01, 1}}, 3);
  setting.target = setting.stop_metric = target;
  setting.deadline_s = deadline_s;
  return setting;
}

synthetic::Spec noisy() {
  synthetic::Spec spec = synthetic::three_versions();
  for (auto& version : spec.versions) version.noise = 0.4;
  return spec;
}

TEST(Statistics, NormalQuantilesAreTheTabulatedOnes) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-8);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306, 1e-8);
  EXPECT_EQ(seeds_needed(0.95, 0.9), 45u);
  EXPECT_EQ(seeds_to_support(0.9), 7u);  // 0.9^7 = 0.478 < 1/2 < 0.531 = 0.9^6.
  EXPECT_LT(most_supported(6), 0.9);
  EXPECT_GE(most_supported(7), 0.9);
  EXPECT_EQ(most_supported(0), 0);
}

TEST(Simulate, ARunAtTheLimitForPassesStopsAndCertifiesItsBestCheckpoint) {
  Setting setting = setting_of(synthetic::three_versions(), 0.6, 1e6);
  setting.stop_metric = 0.01;  // No checkpoint stops a run.
  const double pass_s = 10;
  for (const std::uint32_t passes : {2u, 30u}) {
    setting.passes_max = passes;
    for (const Schedule& schedule : {Schedule{{0, 50}}, Schedule{{2, 1}, {0, 50}}}) {
      const Outcome outcome = simulate(setting, schedule, {.runs = 10});
      EXPECT_EQ(outcome.probability, passes == 30 ? 1 : 0) << passes;
      EXPECT_LE(outcome.seconds_mean, passes * pass_s);
      double all = 0;
      for (const Usage& usage : outcome.usage) all += usage.passes_mean;
      EXPECT_NEAR(all, passes, 1e-9);
    }
  }
}

TEST(Simulate, AtTheLimitForPassesTheBestCheckpointCountsAndNotTheLast) {
  synthetic::Spec spec = synthetic::three_versions();
  spec.jitter = 0.05;
  // The target is about the mean metric after 30 passes.
  Setting setting = setting_of(spec, 0.53, 1e6);
  setting.stop_metric = 0.01;
  setting.passes_max = 30;
  EXPECT_GT(simulate(setting, {{0, 50}}, {.runs = 200}).probability, 0.95);
}

TEST(Simulate, ARunThatBeginsMidwayHasTheRestOfItsPasses) {
  Setting setting = setting_of(synthetic::three_versions(), 0.6, 1e6);
  setting.stop_metric = 0.01;
  setting.passes_max = 1000;
  const auto passes_from = [&](std::uint32_t done) {
    const MidRunState from{.metric = 1.5, .passes = done};
    return simulate(setting, {{0, 2000}}, {.runs = 5, .from = from}).usage[0].passes_mean;
  };
  EXPECT_NEAR(passes_from(990), 10, 1e-9);
  EXPECT_NEAR(passes_from(1000), 0, 1e-9);
  EXPECT_NEAR(passes_from(500), kSimulatedPassesMax, 1e-9);
}

// With bands each pass is measured; without them only those that may meet the stop metric.
TEST(Simulate, WithBandsARunEndsAsItDoesWithoutThem) {
  Setting setting = setting_of(noisy(), 0.6, 130);
  setting.evaluation_se = 0.05;
  setting.stop_metric = 0.45;
  for (const std::uint32_t passes : {10u, 400u}) {
    setting.passes_max = passes;
    for (const Schedule& schedule : {Schedule{{0, 50}}, Schedule{{2, 5}, {0, 50}}}) {
      const Outcome with = simulate(setting, schedule,
                                    {.runs = 500, .bands = BandSteps{.count = 5, .seconds = 130}});
      const Outcome without = simulate(setting, schedule, {.runs = 500});
      EXPECT_EQ(with.probability, without.probability) << passes;
      EXPECT_EQ(with.cost_mean, without.cost_mean) << passes;
      EXPECT_GT(with.probability, 0) << passes;
      EXPECT_LT(with.probability, 1) << passes;
    }
  }
}

TEST(Kernel, RowsAreDistributionsThatKeepTheMean) {
  const Setting setting = setting_of(noisy(), 0.54, 400);
  const std::vector<double> grid = make_grid(setting, 80);
  const Kernel kernel = pass_kernel(grid, setting, 0, 1, 10);
  double before = 0;
  for (std::size_t level = 0; level < grid.size(); ++level) {
    const std::vector<double> row = kernel.row(level);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
    double mean_after = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_GE(row[i], 0);
      mean_after += row[i] * grid[i];
    }
    EXPECT_GE(mean_after, before - 1e-12);  // A worse level before is not better after.
    before = mean_after;
  }
  EXPECT_EQ(kernel.row(0)[0], 1);  // The job has stopped there.
  EXPECT_EQ(grid.front(), 0.54);
}

TEST(Curve, SlopeIsTheSameFromProgressAndFromBoth) {
  for (const Curve& curve :
       {Curve{Shape::kPower, 0.4, 1.9, 0.75}, Curve{Shape::kExponential, 0.4, 1.9, 1}}) {
    for (const double progress : {-0.95, -0.5, 0.0, 1.0, 7.0}) {
      const double slope = curve.slope(progress);
      EXPECT_NEAR(curve.slope(progress, curve.at(progress)), slope, 1e-12 * std::abs(slope));
      const double near = (curve.at(progress + 1e-6) - curve.at(progress)) / 1e-6;
      if (1 + progress > 0.1) {
        EXPECT_NEAR(near, slope, 1e-4 * std::abs(slope));
      }
    }
  }
}

TEST(Simulate, AgreesWithTheGraphOnOneSchedule) {
  const Setting setting = setting_of(noisy(), 0.6, 200);
  const std::vector<double> grid = make_grid(setting, 400);
  const Kernel kernel = pass_kernel(grid, setting, 0, 1, 10);
  std::vector<double> pmf = start_pmf(grid, setting, 0);
  for (int pass = 0; pass < 20; ++pass) pmf = kernel.apply(pmf);
  const Outcome outcome = simulate(setting, {{0, 1}}, {.runs = 4000});
  // 4000 runs: within 3 standard errors, plus 2 points for rounding.
  EXPECT_NEAR(outcome.probability, pmf[0], 0.02 + 3 * std::sqrt(0.25 / 4000));
}

TEST(Simulate, OtherSplitIsMissedAsOftenAsTheMarginSays) {
  // Training has no noise, and one step ends just at the stop metric. Phi(z) of the runs are
  // certified.
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = std::log(2.0)}};
  spec.shape = Shape::kExponential;
  Setting setting = setting_of(spec, 0, 1000);
  setting.evaluation_se = 0.01;
  setting.stop_metric = 0.25 + 1e-9;
  setting.target = setting.stop_metric + normal_quantile(0.9) * std::sqrt(2.0) * 0.01;
  EXPECT_NEAR(simulate(setting, {{0, 1}}, {.runs = 4000}).probability, 0.9, 0.015);
}

TEST(Simulate, CheckpointIsAsGoodAsItsJitterMakesIt) {
  // The course halves with each pass, and there is time for two: 0.5, then 0.25, the target. With a
  // jitter of 0.1 the first is good enough at 2.5 deviations, the second in half of the runs.
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = std::log(2.0)}};
  spec.shape = Shape::kExponential;
  spec.jitter = 0.1;
  const Setting setting = setting_of(spec, 0.25, 25);
  EXPECT_NEAR(simulate(setting, {{0, 1}}, {.runs = 4000}).probability, 0.503, 0.025);
}

TEST(Simulate, BestCheckpointIsKeptWhereTimeRunsOut) {
  // Four passes at 0.3, each at or below 0.25 with probability Phi(-1/2) = 0.309. None is good
  // enough to stop, so success is 1 - 0.691^4.
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0.3, .start = 1, .rate = 50}};
  spec.shape = Shape::kExponential;
  spec.jitter = 0.1;
  Setting setting = setting_of(spec, 0.25, 45);
  setting.stop_metric = -1;
  EXPECT_NEAR(simulate(setting, {{0, 1}}, {.runs = 4000}).probability, 0.772, 0.02);
}

TEST(Simulate, BandsFallAndTheLastIsAtTheTarget) {
  const Setting setting = setting_of(noisy(), 0.6, 400);
  const Outcome outcome = simulate(setting, {{0, 1}}, {.runs = 200, .bands = BandSteps{10, 400}});
  ASSERT_EQ(outcome.bands.size(), 11u);
  EXPECT_NEAR(outcome.bands[0].q50, 2.3, 1e-9);
  for (std::size_t i = 1; i < outcome.bands.size(); ++i) {
    EXPECT_LE(outcome.bands[i].q50, outcome.bands[i - 1].q50);
    EXPECT_LE(outcome.bands[i].q05, outcome.bands[i].q95);
  }
  EXPECT_LE(outcome.bands.back().q95, 0.6);
}

TEST(Simulate, NumbersDoNotDependOnWhetherBandsAreWanted) {
  for (const double jitter : {0.0, 0.02}) {
    Setting setting = setting_of(noisy(), 0.6, 200);
    for (VersionLaw& law : setting.laws.versions) law.jitter = jitter;
    const Schedule schedule{{1, 3}, {0, 1}};
    const Outcome plain = simulate(setting, schedule, {.runs = 400});
    const Outcome banded =
        simulate(setting, schedule, {.runs = 400, .bands = BandSteps{5, setting.deadline_s}});
    EXPECT_EQ(plain.probability, banded.probability);
    EXPECT_EQ(plain.cost_mean, banded.cost_mean);
  }
}

TEST(Simulate, StepsBackStayInTheCount) {
  // 40 passes of 0.1 +- 0.2 add up to 4; if backward steps were cut off at 0, it would be 5.6.
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = 0.1, .noise = 2}};
  spec.shape = Shape::kExponential;
  const Setting setting = setting_of(spec, 1e-9, 400);
  const Outcome outcome = simulate(setting, {{0, 1}}, {.runs = 2000, .bands = BandSteps{1, 400}});
  EXPECT_NEAR(-std::log(outcome.bands.back().q50), 4, 0.2);
}

TEST(OpenLoop, FindsTheCheapestScheduleOfATinyInstance) {
  // Two versions without noise; brute force tries x passes of the pruned one, then full, for all x.
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0.38, .pass_s = 10},
                   {.name = "prune:0.5", .floor = 0.47, .pass_s = 4}};
  const Setting setting = setting_of(spec, 0.8, 400);
  double best = simulate(setting, {{0, 1}}, {.runs = 1}).cost_mean;
  for (std::uint32_t x = 1; x < 40; ++x) {
    const Outcome outcome = simulate(setting, {{1, x}, {0, 1}}, {.runs = 1});
    if (outcome.probability == 1) best = std::min(best, outcome.cost_mean);
  }
  double found = 1e9;
  for (const Schedule& schedule : open_loop_schedules(setting, {.omegas = {0.9}})) {
    const Outcome outcome = simulate(setting, schedule, {.runs = 1});
    if (outcome.probability == 1) found = std::min(found, outcome.cost_mean);
  }
  EXPECT_LE(found, 1.1 * best);
  EXPECT_GE(found, best - 1e-9);
}

TEST(OpenLoop, TargetBelowAllFloorsHasNoSchedule) {
  EXPECT_TRUE(open_loop_schedules(setting_of(noisy(), 0.3, 400), {.omegas = {0.9}}).empty());
}

TEST(Pipeline, IssuedPlansKeepThePromiseOnTheTrueLaw) {
  synthetic::Spec spec = noisy();
  spec.versions.pop_back();
  spec.seeds = 24;
  spec.passes = 24;
  const Profile profile = synthetic::draw_profile(spec, 11);
  const Instance instance = synthetic::make_instance(spec, 0.6, 230);
  const auto problem = make_problem(instance, profile, synthetic::small_options());
  ASSERT_TRUE(problem);
  const Goal goal = make_goal(instance.promise);
  const Solved solved = solve(*problem, goal);
  ASSERT_TRUE(solved.plan);
  Setting truth = make_setting(*problem, problem->choices[0], goal);
  truth.laws = synthetic::true_laws(spec);
  const double runs = 4000;
  const Outcome outcome = simulate(truth, solved.plan->schedule, {.seed = 99, .runs = 4000});
  // The binomial interval, and what 24 seeds leave open (some points at the 95 % level).
  EXPECT_GE(outcome.probability, 0.95 - 0.03 - 3 * std::sqrt(0.95 * 0.05 / runs));
}

TEST(Placement, CheapNodesComeFirstAndUselessOnesNever) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full"}};
  spec.workers = 2;
  // The profile has 2 nodes, so a third node gives no gain.
  const Laws laws = synthetic::true_laws(spec);
  const auto variants = make_variants(laws, {{"dear", 2, 0.05, 1}, {"cheap", 3, 0.01, 1}}, 3);
  ASSERT_EQ(variants.size(), 1u);
  EXPECT_EQ(variants[0].nodes, 2u);
  EXPECT_DOUBLE_EQ(variants[0].price_per_s, 0.02);
}

}  // namespace schedule_test
}  // namespace surety::plan
