#include "plan/decision/run_belief.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/support/plan/reference_instance.h"

namespace surety::plan {
namespace run_belief_test {

Setting with_effect(double run_effect) {
  Setting setting = reference::one_cluster();
  setting.laws.run_effect = run_effect;
  return setting;
}

double effect_mean(const RunBelief& belief) {
  double mean = 0;
  for (const auto& one : belief.hypotheses()) mean += one.probability * one.effect;
  return mean;
}

double probability_sum(const RunBelief& belief) {
  double sum = 0;
  for (const auto& one : belief.hypotheses()) sum += one.probability;
  return sum;
}

TEST(RunBelief, AfterOnePassIsBayesTheorem) {
  const Setting setting = with_effect(0.3);
  const VersionLaw& law = setting.law_of(0);
  const double seen = 1.4;  // Observed progress; the expected mean is 1.
  RunBelief belief(setting, 0);
  std::vector<double> expected;
  double sum = 0;
  for (const auto& one : belief.hypotheses()) {
    const double mean = std::exp(one.effect);
    const double sd = mean * law.noise;
    const double z = (seen - mean) / sd;
    // Evidence is limited to three standard deviations.
    expected.push_back(one.probability * std::exp(-std::min(z * z, 9.0) / 2) / sd);
    sum += expected.back();
  }
  belief.on_pass(0, law.curve.at(seen));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(belief.hypotheses()[i].probability, expected[i] / sum, 1e-9);
  }
}

TEST(RunBelief, PriorHasTheVarianceOfTheRunEffect) {
  const Setting setting = with_effect(0.3);
  const RunBelief belief(setting, 0);
  double variance = 0;
  for (const auto& one : belief.hypotheses()) variance += one.probability * one.effect * one.effect;
  EXPECT_NEAR(std::sqrt(variance), 0.3, 1e-9);
  EXPECT_NEAR(probability_sum(belief), 1, 1e-12);
}

TEST(RunBelief, RunThatGoesFartherEachPassIsBelievedToBeFaster) {
  const Setting setting = with_effect(0.3);
  const Curve& curve = setting.law_of(0).curve;
  RunBelief fast(setting, 0);
  RunBelief slow(setting, 0);
  for (int pass = 1; pass <= 12; ++pass) {
    fast.on_pass(0, curve.at(1.35 * pass));  // e^0.3 is 1.35.
    slow.on_pass(0, curve.at(0.74 * pass));  // e^-0.3 is 0.74.
  }
  // The belief does not have the full effect, because equal steps indicate little noise, and so a
  // small A.
  EXPECT_GT(effect_mean(fast), 0.15);
  EXPECT_LT(effect_mean(slow), -0.15);
}

TEST(RunBelief, WithoutJitterTheMetricIsWhatWasMeasured) {
  const Setting setting = with_effect(0.2);
  RunBelief belief(setting, 0);
  belief.on_pass(0, 1.234);
  EXPECT_NEAR(belief.metric(), 1.234, 1e-9);
}

TEST(RunBelief, OneLuckyCheckpointIsNotTakenForProgress) {
  Setting setting = with_effect(0.1);
  for (VersionLaw& law : setting.laws.versions) law.jitter = 0.02;
  const Curve& curve = setting.law_of(0).curve;
  RunBelief belief(setting, 0);
  for (int pass = 1; pass <= 15; ++pass) belief.on_pass(0, curve.at(pass));
  const double expected = curve.at(16);
  const double lucky = expected - 0.05;
  belief.on_pass(0, lucky);
  EXPECT_GT(belief.metric(), lucky + 0.03);
  EXPECT_LT(belief.metric(), expected);
  EXPECT_LT(belief.surprise(), -1);  // Negative means better than expected.
}

TEST(RunBelief, RunThatStaysWhereItBeganIsBelievedStuck) {
  Setting setting = with_effect(0.1);
  setting.laws.versions[0].stuck_share = 0.2;
  const auto stuck = [&](const RunBelief& belief) {
    double sum = 0;
    for (const auto& one : belief.hypotheses())
      sum += one.stuck_quantile < 0.2 ? one.probability : 0;
    return sum;
  };
  RunBelief still(setting, 0);
  RunBelief moving(setting, 0);
  EXPECT_NEAR(stuck(still), 0.2, 1e-9);
  for (int pass = 1; pass <= 3; ++pass) {
    still.on_pass(0, 2.3);
    moving.on_pass(0, setting.law_of(0).curve.at(pass));
  }
  EXPECT_GT(stuck(still), 0.99);
  EXPECT_LT(stuck(moving), 0.01);
}

TEST(RunBelief, ChangeOfVersionKeepsWhatIsKnownOfTheRun) {
  const Setting setting = with_effect(0.3);
  RunBelief belief(setting, 2);
  for (int pass = 1; pass <= 10; ++pass) belief.on_pass(2, setting.law_of(2).curve.at(1.35 * pass));
  const double before = effect_mean(belief);
  // After the jump progress cannot be distinguished from luck, so the first pass shows little.
  belief.on_pass(0, 0.6);
  EXPECT_NEAR(effect_mean(belief), before, 0.1);
  EXPECT_NEAR(belief.metric(), 0.6, 1e-9);
  EXPECT_NEAR(probability_sum(belief), 1, 1e-9);
}

}  // namespace run_belief_test
}  // namespace surety::plan
