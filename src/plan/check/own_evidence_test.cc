#include "plan/check/own_evidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::plan::check {
namespace own_evidence_test {

plan::VersionLaw law_of(double stuck_share, double noise = 0.1) {
  plan::VersionLaw law;
  law.rate = 4;
  law.noise = noise;
  law.stuck_share = stuck_share;
  return law;
}

TEST(OwnEvidence, BeforeAnyPassThePriorHolds) {
  const OwnEvidence evidence;
  EXPECT_EQ(evidence.effect(0.3).mean, 0);
  EXPECT_EQ(evidence.effect(0.3).sd, 0.3);
  EXPECT_DOUBLE_EQ(evidence.learns(law_of(0.2)), 0.8);
}

TEST(OwnEvidence, TheEffectIsTheLogarithmOfTheMeanRateWithinThePrior) {
  OwnEvidence evidence;
  evidence.add_pass(law_of(0), 4 * 1.5);
  evidence.add_pass(law_of(0), 4 * 2.5);
  // Two passes of noise 0.1 weigh 200, the prior 25.
  EXPECT_DOUBLE_EQ(evidence.effect(0.2).mean, std::log(2) * 200 / 225);
  EXPECT_DOUBLE_EQ(evidence.effect(0.2).sd, 1 / 15.0);
  EXPECT_EQ(evidence.effect(0).mean, 0);
  EXPECT_EQ(evidence.effect(0).sd, 0);
}

TEST(OwnEvidence, PassesWithLittleNoiseWeighMore) {
  OwnEvidence evidence;
  evidence.add_pass(law_of(0, 0.1), 4);
  evidence.add_pass(law_of(0, 0.2), 4 * 2);
  EXPECT_NEAR(evidence.effect(1e9).mean, std::log(1.2), 1e-9);
}

TEST(OwnEvidence, APassThatLearnsRulesOutLowerQuantiles) {
  OwnEvidence evidence;
  evidence.add_pass(law_of(0.2), 4);
  EXPECT_EQ(evidence.learns(law_of(0.1)), 1);
  EXPECT_EQ(evidence.learns(law_of(0.2)), 1);
  EXPECT_DOUBLE_EQ(evidence.learns(law_of(0.6)), 0.5);
}

TEST(OwnEvidence, AStuckPassRulesOutHigherQuantilesAndSaysNothingOfTheEffect) {
  OwnEvidence evidence;
  evidence.add_stuck_pass(law_of(0.4));
  EXPECT_EQ(evidence.learns(law_of(0.4)), 0);
  EXPECT_EQ(evidence.learns(law_of(0.5)), 0);
  EXPECT_DOUBLE_EQ(evidence.learns(law_of(0.1)), 0.75);
  EXPECT_EQ(evidence.effect(0.3).sd, 0.3);
}

}  // namespace own_evidence_test
}  // namespace surety::plan::check
