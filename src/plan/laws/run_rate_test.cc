#include "plan/laws/run_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/statistics.h"

namespace surety::plan {
namespace run_rate_test {

VersionLaw power_law(double noise) {
  VersionLaw law;
  law.curve = {Shape::kPower, 0.4, 1.9, 0.75};
  law.rate = 1;
  law.noise = noise;
  return law;
}

// The untrained model, then the point after each pass. Steps are in units of usual passes.
std::vector<FitPoint> points_of(const VersionLaw& law, const std::vector<double>& steps) {
  std::vector<FitPoint> points{{0, law.curve.at(0), 0}};
  double progress = 0;
  for (const double step : steps) {
    progress += law.rate * step;
    points.push_back({points.back().passes + 1, law.curve.at(progress), 0});
  }
  return points;
}

// Steps of a run whose passes go e^effect times as far as usual.
std::vector<double> drawn_steps(const VersionLaw& law, double effect, std::uint64_t run) {
  std::vector<double> steps;
  const CounterNormal normals(7, run);
  for (std::uint32_t k = 0; k < 25; ++k) {
    steps.push_back(std::exp(effect) * (1 + law.noise * normals.at(k, 0)));
  }
  return steps;
}

TEST(RunRate, ExactPointsGiveTheMeanProgressOfAPass) {
  const VersionLaw law = power_law(0.1);
  EXPECT_NEAR(fit_run_rate(law, points_of(law, {1.2, 1.2, 1.2, 1.2}), 0).log, std::log(1.2), 2e-3);
  EXPECT_NEAR(fit_run_rate(law, points_of(law, {0.9, 1.1, 0.8, 1.2}), 0).log, 0, 1e-2);
}

TEST(RunRate, TheStartDecidesNothing) {
  const VersionLaw law = power_law(0.3);
  const auto points = points_of(law, drawn_steps(law, 0.3, 1));
  const double from_zero = fit_run_rate(law, points, 0).log;
  EXPECT_NEAR(fit_run_rate(law, points, 0.3).log, from_zero, 2e-2);
}

TEST(RunRate, ErrorIsNoiseSquaredByPasses) {
  const VersionLaw law = power_law(0.35);  // 0.35^2 / 25 = 0.0049.
  std::vector<double> logs;
  std::vector<double> variances;
  for (std::uint64_t run = 0; run < 400; ++run) {
    const RunRate found = fit_run_rate(law, points_of(law, drawn_steps(law, 0, run)), 0);
    logs.push_back(found.log);
    variances.push_back(found.variance.value());
  }
  EXPECT_NEAR(mean(logs), 0, 0.015);
  EXPECT_NEAR(variance(logs), 0.0049, 0.0012);
  EXPECT_NEAR(mean(variances), variance(logs), 0.0012);
}

TEST(RunRate, LeastSquaresIsFurtherOff) {
  const VersionLaw law = power_law(0.35);
  double ours = 0;
  double squares = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const auto points = points_of(law, drawn_steps(law, -0.2, run));
    const double start = fit_log_rate(law.curve, law.rate, points);
    ours += std::pow(fit_run_rate(law, points, start).log + 0.2, 2);
    squares += std::pow(start + 0.2, 2);
  }
  EXPECT_LT(1.5 * ours, squares);
}

TEST(RunRate, APassThatStalledCountsForThreeDeviations) {
  const VersionLaw law = power_law(0.1);
  std::vector<double> steps(20, 1.0);
  // Ten standard deviations: the mean falls by 0.05, and three deviations are 0.015.
  steps[10] = 0;
  EXPECT_NEAR(fit_run_rate(law, points_of(law, steps), 0).log, -0.015, 0.01);
}

TEST(RunRate, JitterIsNoProgress) {
  VersionLaw law = power_law(0.35);
  // This amounts to 1.5 passes near the end: 0.07 of 25 passes, as much as the noise contributes.
  law.jitter = 0.01;
  std::vector<double> logs;
  for (std::uint64_t run = 0; run < 400; ++run) {
    auto points = points_of(law, drawn_steps(law, 0, run));
    for (FitPoint& point : points) {
      const auto pass = static_cast<std::uint32_t>(point.passes);
      if (pass > 0) point.metric += law.jitter * CounterNormal(8, run).at(pass, 0);
    }
    logs.push_back(fit_run_rate(law, points, 0).log);
  }
  EXPECT_NEAR(mean(logs), 0, 0.015);
  EXPECT_LT(variance(logs), 0.0075);
}

TEST(RunRate, AtTheFloorASlightlyOtherFloorIsNoOtherRate) {
  VersionLaw law = power_law(0.1);
  law.curve = {Shape::kExponential, 0.4, 1.9, 1};
  std::vector<FitPoint> points = points_of(law, std::vector<double>(30, 1.0));
  for (FitPoint& point : points) point.metric += point.passes > 10 ? 0.005 : 0;
  EXPECT_NEAR(fit_run_rate(law, points, 0).log, 0, 0.03);
}

TEST(RunRate, ACurveWithoutSlopeLeavesTheStart) {
  VersionLaw law = power_law(0.1);
  law.curve.scale = 0;
  const RunRate found = fit_run_rate(law, std::vector<FitPoint>{{0, 0.4, 0}, {1, 0.4, 0}}, 0.25);
  EXPECT_EQ(found.log, 0.25);
  EXPECT_EQ(found.variance, std::nullopt);
}

TEST(RunRate, WildPointsStayWithinTheLimits) {
  const VersionLaw law = power_law(0.1);
  for (const std::vector<double>& metrics :
       {std::vector{2.3, 9.0, 80.0}, {2.3, 0.0, 0.0}, {2.3, -5.0, 2.3}, {2.3, 2.3, 2.3}}) {
    std::vector<FitPoint> points;
    for (const double metric : metrics) points.push_back({1.0 * points.size(), metric, 0});
    EXPECT_LE(std::abs(fit_run_rate(law, points, 0).log), 2);
  }
}

}  // namespace run_rate_test
}  // namespace surety::plan
