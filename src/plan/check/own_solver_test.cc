#include "plan/check/own_solver.h"

#include <gtest/gtest.h>

#include "plan/check/own_laws.h"

namespace surety::plan::check {
namespace own_solver_test {

// One version on two workers, which takes 0.15 s for a pass.
plan::Setting setting_of_one() {
  plan::Setting setting;
  plan::VersionLaw law;
  law.version = "full";
  law.workers = 2;
  law.curve = {.shape = plan::Shape::kPower, .floor = 0, .scale = 0.9, .exponent = 0.26};
  law.rate = 9;
  law.noise = 0.2;
  law.time.pass_s = 0.15;
  law.time.nodes = 2;
  setting.laws.versions = {law};
  setting.laws.run_effect = 0.1;
  plan::Variant variant;
  variant.nodes = 2;
  variant.speed = 2;
  variant.price_per_s = 1;
  setting.variants = {variant};
  setting.target = 0.3;
  setting.evaluation_se = 0.015;
  setting.probability = 0.8;
  setting.deadline_s = 120;
  return setting;
}

// A run cannot approach the target further than the profile supports. At that metric its chance to
// be certified does not depend on the length of training.
TEST(OwnSolver, MorePassesAtTheLowestMetricDoNotHelp) {
  plan::Setting setting = setting_of_one();
  double& lowest = setting.laws.versions[0].metric_supported;
  lowest = setting.target - 0.43 * setting.evaluation_se;
  const OwnSolver solver(setting, {.lambda = 0.4, .promised = 0.8}, {.levels = 100, .ticks = 240});
  const double now = chance_certified(setting, lowest);
  EXPECT_NEAR(now, 0.62, 0.01);
  EXPECT_NEAR(solver.pass(0, 0, 0, lowest, {}).success, now, 0.005);
}

}  // namespace own_solver_test
}  // namespace surety::plan::check
