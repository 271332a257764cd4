// Which policies are dependable enough.
#include "plan/closed_loop/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/statistics.h"
#include "plan/nodes/placement.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace calibrate_test {

// A gap that halves with each pass of 10 s and must fall to a thirtieth within 100 s. There is no
// noise, so it takes five passes.
Setting sure_setting() {
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = std::log(2.0)}};
  spec.shape = Shape::kExponential;
  Setting setting;
  setting.laws = synthetic::true_laws(spec);
  setting.variants = make_variants(setting.laws, {{"local", spec.workers, 0.01, 1}}, 3);
  setting.target = setting.stop_metric = 1.0 / 30;
  setting.deadline_s = 100;
  setting.probability = 0.9;
  return setting;
}

// Whether the promise is supported at a confidence of 0.9, if `hopeless` of ten worlds never reach
// the target.
bool is_supported(std::size_t hopeless) {
  const Setting setting = sure_setting();
  std::vector<Setting> worlds(10, setting);
  for (std::size_t i = 0; i < hopeless; ++i) worlds[i].laws.versions[0].rate /= 100;
  const auto model = std::make_shared<const ClosedLoopModel>(
      setting, ClosedLoopOptions{.grid = {40, 40}, .classes = 1, .mask = {}});
  return calibrate(model, 0.9, worlds, {.runs = 50, .world_runs = 50}).supported;
}

TEST(Calibrate, OneWorldInTenMayFailAtAConfidenceOfNinety) {
  EXPECT_TRUE(is_supported(0));
  EXPECT_TRUE(is_supported(1));  // In floating point 10 (1 - 0.9) is slightly less than 1.
  EXPECT_FALSE(is_supported(2));
}

// The most dependable policy decides for all.
TEST(CanCalibrate, AnswersAsCalibrateDoes) {
  Setting setting = sure_setting();
  setting.laws.versions[0].noise = 0.5;
  int kept = 0;
  for (const double deadline_s : {45.0, 55.0, 65.0, 75.0, 85.0, 95.0}) {
    setting.deadline_s = deadline_s;
    const std::vector<Setting> worlds(5, setting);
    const auto model = std::make_shared<const ClosedLoopModel>(
        setting, ClosedLoopOptions{.grid = {40, 40}, .classes = 1, .mask = {}});
    const CalibrateOptions options{
        .runs = 200, .world_runs = 100, .again = CalibrateOptions::Again{5, 400}};
    const Calibration found = calibrate(model, 0.8, worlds, options);
    const bool keeps = found.supported && found.again.probability >= 0.8;
    EXPECT_EQ(can_calibrate(model, 0.8, worlds, options), keeps) << deadline_s;
    kept += keeps ? 1 : 0;
  }
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 6);
}

}  // namespace calibrate_test
}  // namespace surety::plan
