// Tests that simulated runs begin as training does.
#include <gtest/gtest.h>

#include "plan/decision/simulate.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace first_pass_test {

// Leaves the first variant as soon as it may, and stops after one pass of the second one.
class Leaver final : public Policy {
 public:
  [[nodiscard]] std::size_t first_variant() const override { return 0; }
  [[nodiscard]] Move next(const DecisionState& state) const override {
    if (state.variant == 0) return {Choice::kSwitch, 1, 0};
    return {Choice::kStopMet, 1, 0};
  }
};

TEST(Simulate, TheFirstPassIsOneOfTheFirstVariant) {
  Setting setting;
  setting.laws = synthetic::true_laws(synthetic::three_versions());
  for (const std::size_t law : {0, 1}) {
    setting.variants.push_back({.version = law, .counts = {{"sure", 4}}, .nodes = 4, .speed = 4});
  }
  setting.target = setting.stop_metric = 0.1;
  setting.deadline_s = 1000;
  const Outcome outcome = simulate(setting, Leaver(), {.seed = 1, .runs = 10});
  ASSERT_EQ(outcome.usage.size(), 2u);
  EXPECT_NEAR(outcome.usage[0].passes_mean, 1, 1e-9);
  EXPECT_NEAR(outcome.usage[1].passes_mean, 1, 1e-9);
}

}  // namespace first_pass_test
}  // namespace surety::plan
