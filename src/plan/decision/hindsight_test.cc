#include "plan/decision/hindsight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "plan/decision/simulate.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace hindsight_test {

// One variant of each law on the profiled nodes and, if `spot`, one on spot nodes.
std::vector<Variant> variants_of(const Laws& laws, bool spot) {
  std::vector<Variant> variants;
  for (std::size_t law = 0; law < laws.versions.size(); ++law) {
    Variant variant{.version = law, .counts = {{"sure", 4}}, .nodes = 4, .speed = 4};
    variant.price_per_s = 0.04;
    variants.push_back(variant);
    if (!spot) continue;
    variant.counts = {{"spot", 4}};
    variant.speed = 3.2;
    variant.price_per_s = 0.016;
    variant.preemptions_per_s = 0.04;
    variant.restart_s = 10;
    variant.straggle_sd = 0.1;
    variants.push_back(variant);
  }
  return variants;
}

constexpr std::uint64_t kSeed = 7;
constexpr std::uint32_t kRuns = 200;

// A gap that halves with each pass of 10 s, without noise. Evaluating and certifying take no time.
Setting halving(double target, double deadline_s) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = std::log(2.0), .pass_s = 10}};
  spec.shape = Shape::kExponential;
  Setting setting;
  setting.laws = synthetic::true_laws(spec);
  setting.variants = variants_of(setting.laws, false);
  setting.target = setting.stop_metric = target;
  setting.deadline_s = deadline_s;
  return setting;
}

TEST(HindsightKeeps, ATargetOfFivePassesNeedsTheTimeOfFive) {
  EXPECT_TRUE(hindsight_keeps(halving(1.01 / 32, 51), 1, kSeed, kRuns));
  EXPECT_FALSE(hindsight_keeps(halving(1.01 / 32, 49), 0.01, kSeed, kRuns));
  EXPECT_FALSE(hindsight_keeps(halving(0.99 / 32, 51), 0.01, kSeed, kRuns));
}

TEST(HindsightKeeps, CertifyingTakesTimeToo) {
  Setting setting = halving(1.01 / 32, 51);
  setting.certify_s = 2;
  EXPECT_FALSE(hindsight_keeps(setting, 0.01, kSeed, kRuns));
}

TEST(HindsightKeeps, NoMetricIsBelowTheSupportedOne) {
  Setting setting = halving(1.0 / 32, 1000);
  setting.laws.versions[0].metric_supported = 1.0 / 31;
  EXPECT_FALSE(hindsight_keeps(setting, 0.01, kSeed, kRuns));
}

TEST(HindsightKeeps, BelowItOnlyTheNoiseOfCertifyingCanSucceed) {
  // The supported metric is one standard deviation of the certifying evaluation above the target:
  // 16 % of the runs succeed.
  Setting setting = halving(0.1, 1000);
  setting.evaluation_se = 0.02 / std::sqrt(2.0);
  setting.laws.versions[0].metric_supported = 0.12;
  EXPECT_TRUE(hindsight_keeps(setting, 0.12, kSeed, 2000));
  EXPECT_FALSE(hindsight_keeps(setting, 0.20, kSeed, 2000));
}

TEST(HindsightKeeps, RunsThatNeverLearnFail) {
  Setting setting = halving(0.1, 1000);
  setting.laws.versions[0].stuck_share = 0.5;
  EXPECT_TRUE(hindsight_keeps(setting, 0.42, kSeed, kRuns));
  EXPECT_FALSE(hindsight_keeps(setting, 0.58, kSeed, kRuns));
}

// Random settings with all kinds of noise.
Setting random_setting(std::uint64_t seed) {
  Random random(seed);
  synthetic::Spec spec = synthetic::three_versions();
  for (auto& version : spec.versions) version.noise = 0.5 * random.uniform();
  spec.run_effect = 0.3 * random.uniform();
  spec.time_sd = 0.3 * random.uniform();
  spec.jump = std::exp(0.4 * random.uniform() - 0.2);  // A switch may also lower the metric.
  spec.jitter = random.below(2) == 0 ? 0 : 0.02;
  Setting setting;
  setting.laws = synthetic::true_laws(spec);
  for (VersionLaw& law : setting.laws.versions) {
    law.metric_supported = law.curve.floor + 0.05 * random.uniform();
    if (random.below(3) == 0) law.stuck_share = 0.3 * random.uniform();
  }
  for (auto& row : setting.laws.switches) {
    for (SwitchLaw& jump : row) jump.log_sd = 0.2 * random.uniform();
  }
  setting.variants = variants_of(setting.laws, true);
  setting.target = setting.stop_metric = 0.4 + 0.25 * random.uniform();
  setting.evaluation_se = random.below(2) == 0 ? 0 : 0.02 * random.uniform();
  setting.deadline_s = 5 + 60 * random.uniform();
  setting.certify_s = 1;
  return setting;
}

// Trains on any variant, and stops when the metric that it sees is good enough, or at random.
class AnyPolicy final : public Policy {
 public:
  AnyPolicy(const Setting& setting, std::uint64_t seed) : setting_(setting), seed_(seed) {}
  [[nodiscard]] std::size_t first_variant() const override {
    return seed_ % setting_.variants.size();
  }
  [[nodiscard]] Move next(const DecisionState& state) const override {
    if (state.metric <= setting_.target) return {Choice::kStopMet, 0, 0};
    if (state.seconds_left <= setting_.certify_s) return {Choice::kStopNoTime, 0, 0};
    Random random(mix64(seed_ + static_cast<std::uint64_t>(state.seconds)));
    const std::size_t to =
        random.below(2) == 0 ? state.variant : random.below(setting_.variants.size());
    return {to == state.variant ? Choice::kContinue : Choice::kSwitch, to, 0};
  }

 private:
  const Setting& setting_;
  std::uint64_t seed_;
};

TEST(HindsightKeeps, NoPolicyDoesBetter) {
  std::size_t bites = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Setting setting = random_setting(seed);
    double best = 0;
    for (std::uint64_t policy = 0; policy < 12; ++policy) {
      const SimulateOptions options{.seed = kSeed, .runs = kRuns};
      best = std::max(best, simulate(setting, AnyPolicy(setting, policy), options).probability);
    }
    EXPECT_TRUE(hindsight_keeps(setting, best, kSeed, kRuns)) << seed << ": " << best;
    bites += hindsight_keeps(setting, 0.9, kSeed, kRuns) ? 0 : 1;
  }
  EXPECT_GT(bites, 15u);  // The function does not always return true.
}

}  // namespace hindsight_test
}  // namespace surety::plan
