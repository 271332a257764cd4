#include "fabric/network/estimator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace surety::fabric {
namespace estimator_test {

Time at_s(double seconds) { return Time(from_seconds(seconds)); }

TEST(BandwidthEstimator, JumpIsFollowedWithinOneSample) {
  BandwidthEstimator port(100);
  port.observe(at_s(1), 10);
  // log 10 * 0.15 is left of the distance, so the estimate is 10^0.15 = 1.41 times too high.
  EXPECT_NEAR(port.at(at_s(1)), 14.1, 0.1);
  port.observe(at_s(2), 100);
  EXPECT_GT(port.at(at_s(2)), 70);
}

TEST(BandwidthEstimator, OneSampleOffByHalfIsNoiseAndTwoAreAChange) {
  BandwidthEstimator port(100);
  port.observe(at_s(1), 60);
  EXPECT_GT(port.at(at_s(1)), 90);
  port.observe(at_s(1.02), 60);
  EXPECT_LT(port.at(at_s(1.02)), 66);
}

TEST(BandwidthEstimator, NoiseIsAveraged) {
  BandwidthEstimator port(100);
  Random random(1);
  double squares = 0;
  for (int i = 1; i <= 1000; ++i) {
    port.observe(at_s(i * 0.02), 50 * std::exp(0.15 * random.normal()));
    if (i > 20) squares += std::pow(std::log(port.at(at_s(i * 0.02)) / 50), 2);
  }
  EXPECT_LT(std::sqrt(squares / 980), 0.08);  // For single samples it is 0.15.
}

TEST(BandwidthEstimator, SlowPartnerDoesNotHideTheFastOne) {
  BandwidthEstimator port(100);
  for (int i = 1; i <= 100; ++i) {
    port.observe(at_s(i), 10);
    port.observe(at_s(i + 0.001), 100);
  }
  EXPECT_NEAR(port.at(at_s(100.002)), 100, 1);
}

TEST(BandwidthEstimator, WithoutEvidenceReturnsToNominal) {
  BandwidthEstimator port(100);
  for (int i = 1; i <= 200; ++i) port.observe(at_s(i * 0.02), 10);
  EXPECT_NEAR(port.at(at_s(4)), 10, 0.5);
  // After one time constant 1/e of the distance, a factor of ten, is left.
  EXPECT_NEAR(port.at(at_s(14)), 100 * std::pow(10, -1 / std::exp(1)), 1);
  EXPECT_GT(port.at(at_s(64)), 99);
}

TEST(SpeedClasses, HalveFromTheReference) {
  const SpeedClasses classes{.reference_bytes_per_s = 100, .count = 4};
  EXPECT_EQ(classes.class_of(100), 0u);
  EXPECT_EQ(classes.class_of(51), 0u);
  EXPECT_EQ(classes.class_of(49), 1u);
  EXPECT_EQ(classes.class_of(13), 2u);
  EXPECT_EQ(classes.class_of(0.01), 3u);
}

TEST(SpeedClasses, NoiseAtABoundaryDoesNotFlap) {
  const SpeedClasses classes{.reference_bytes_per_s = 100, .count = 4};
  EXPECT_EQ(classes.class_of(48, 0), 0u);
  EXPECT_EQ(classes.class_of(52, 1), 1u);
  EXPECT_EQ(classes.class_of(40, 0), 1u);
  EXPECT_EQ(classes.class_of(60, 1), 0u);
}

}  // namespace estimator_test
}  // namespace surety::fabric
