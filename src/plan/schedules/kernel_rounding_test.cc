// Rounding up and down encloses the continuous process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/statistics.h"
#include "plan/decision/kernel.h"
#include "plan/decision/setting_mdp.h"
#include "test/support/plan/reference_instance.h"
#include "test/support/plan/schedules/evaluate_fixed.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::plan {
namespace kernel_rounding_test {

constexpr Rounding kAll[] = {Rounding::kLinear, Rounding::kUp, Rounding::kDown};

void expect_monotone_rows(const Kernel& kernel) {
  std::vector<double> before(kernel.levels(), 1.0);  // Distribution function of a better level.
  for (std::size_t level = 0; level < kernel.levels(); ++level) {
    std::vector<double> row = kernel.row(level);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
    for (const double chance : row) EXPECT_GE(chance, 0);
    std::partial_sum(row.begin(), row.end(), row.begin());
    for (std::size_t l = 0; l < row.size(); ++l) EXPECT_LE(row[l], before[l] + 1e-12);
    before = row;
  }
}

TEST(KernelRounding, RowsAreMonotoneDistributions) {
  const Setting setting = reference::one_cluster();
  const std::vector<double> grid = metric_levels(setting, 60);
  for (const Rounding rounding : kAll) {
    expect_monotone_rows(pass_kernel(grid, setting, 0, 1, 1, rounding));
    expect_monotone_rows(pass_kernel(grid, setting, 2, 1, 1, rounding));
    expect_monotone_rows(switch_kernel(grid, setting, 2, 0, rounding));
  }
}

// Chance of the target after many passes of a version. `floor_above` and `supported_above` are the
// distances above the target of its floor and of what is supported.
double reached(double floor_above, double supported_above) {
  Setting setting = reference::one_cluster();
  VersionLaw& law = setting.laws.versions[0];
  law.curve.floor = setting.target + floor_above;
  law.metric_supported = setting.target + supported_above;
  const std::vector<double> grid = metric_levels(setting, 60);
  std::vector<double> pmf = start_pmf(grid, setting, 0);
  const Kernel kernel = class_pass_kernel(grid, law, 1);
  for (int pass = 0; pass < 400; ++pass) pmf = kernel.apply(pmf);
  return pmf[0];
}

TEST(KernelRounding, CurveThatEndsJustAboveTheTargetNeverGetsThere) {
  EXPECT_EQ(reached(1e-4, -0.1), 0);
  EXPECT_EQ(reached(-0.1, 1e-4), 0);
  EXPECT_GT(reached(-0.1, -0.1), 0.99);
}

TEST(KernelRounding, OneSureStepGoesToTheNextLevelUpOrDown) {
  Setting setting = reference::one_cluster();
  setting.laws.versions[0].noise = 0;
  const std::vector<double> grid = metric_levels(setting, 40);
  const double after = setting.laws.versions[0].curve.at(1);
  const auto high =
      static_cast<std::size_t>(std::upper_bound(grid.begin(), grid.end(), after) - grid.begin());
  // Begins at the untrained model, whose metric is generally between two levels, and makes one pass
  // from either level.
  const auto lands = [&](Rounding rounding) {
    const auto pmf =
        pass_kernel(grid, setting, 0, 1, 1, rounding).apply(start_pmf(grid, setting, 0, rounding));
    return static_cast<std::size_t>(std::max_element(pmf.begin(), pmf.end()) - pmf.begin());
  };
  EXPECT_GE(lands(Rounding::kUp), high);
  EXPECT_LE(lands(Rounding::kUp), high + 1);
  EXPECT_LT(lands(Rounding::kDown), high);
  EXPECT_GE(lands(Rounding::kDown) + 2, high);
}

// Some passes of prune:0.5, then of full. About half of the runs reach the target.
const Schedule kSchedule{{1, 2}, {0, 3}};

Setting short_setting() {
  Setting setting = reference::one_cluster();
  setting.target = setting.stop_metric = 0.94;
  return setting;
}

double graph_probability(const Setting& setting, std::size_t levels, Rounding rounding) {
  const std::vector<double> grid = metric_levels(setting, levels);
  Mdp mdp = make_mdp(setting, grid, {.ticks = 360}, RunClass{});
  std::vector<MdpStart> starts = make_starts(setting, grid);
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    mdp.variants[v].pass = class_pass_kernel(grid, setting.law_of(v), 1, rounding);
    starts[v].levels = start_pmf(grid, setting, v, rounding);
  }
  for (const MdpSwitch& change : mdp.switches[1]) {
    mdp.jumps[*change.jump] = switch_kernel(grid, setting, 1, change.to, rounding);
  }
  return evaluate_fixed(mdp, starts, kSchedule)->probability;
}

// The laws, run by run, without a grid. The target counts when it is met after a pass.
double continuous_probability(const Setting& setting, int runs) {
  int successes = 0;
  for (int run = 0; run < runs; ++run) {
    const CounterNormal normal(5, static_cast<std::uint64_t>(run));
    double metric = 2.30;
    bool met = false;
    std::uint32_t pass = 0;
    for (std::size_t leg = 0; leg < kSchedule.size(); ++leg) {
      const VersionLaw& law = setting.law_of(kSchedule[leg].variant);
      if (leg > 0) {
        const SwitchLaw& jump =
            setting.laws.switches[setting.rank_of(kSchedule[leg - 1].variant)][law.rank];
        metric *= std::exp(jump.log_mean + jump.log_sd * normal.at(pass, 1));
      }
      for (std::uint32_t i = 0; i < kSchedule[leg].passes; ++i) {
        const double step = law.rate * (1 + law.noise * normal.at(++pass, 0));
        metric = law.curve.at(law.curve.progress(metric) + step);
        met = met || metric <= setting.stop_metric;
      }
    }
    successes += met ? 1 : 0;
  }
  return static_cast<double>(successes) / runs;
}

TEST(KernelRounding, UpAndDownEncloseTheContinuousProcessAndTighten) {
  const Setting setting = short_setting();
  static constexpr int kRuns = 20000;
  const double truth = continuous_probability(setting, kRuns);
  const double error = 3 * std::sqrt(truth * (1 - truth) / kRuns);
  EXPECT_GT(truth, 0.3);
  EXPECT_LT(truth, 0.7);
  double low = 0;
  double high = 1;
  for (const std::size_t levels : {51u, 101u, 201u}) {  // Each grid contains the one before it.
    const double up = graph_probability(setting, levels, Rounding::kUp);
    const double down = graph_probability(setting, levels, Rounding::kDown);
    EXPECT_LE(up, truth + error);
    EXPECT_GE(down, truth - error);
    EXPECT_GE(up, low - 1e-12);
    EXPECT_LE(down, high + 1e-12);
    low = up, high = down;
  }
  EXPECT_LT(high - low, 0.4);
  EXPECT_NEAR(graph_probability(setting, 201, Rounding::kLinear), truth, 0.02);
}

}  // namespace kernel_rounding_test
}  // namespace surety::plan
