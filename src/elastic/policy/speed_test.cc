#include "elastic/policy/speed.h"

#include <gmock/gmock.h>
#include <limits>

#include "base/random.h"

namespace surety::elastic {
namespace speed_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

TEST(SpeedModel, OneObservationIsNotEnough) {
  SpeedModel model({});
  model.observe(100, 2);
  EXPECT_EQ(model.seconds_per_work(), std::nullopt);
  model.observe(100, 2);
  EXPECT_EQ(model.seconds_per_work(), 0.02);
}

TEST(SpeedModel, NothingIsLearnedFromNothing) {
  SpeedModel model({});
  for (int i = 0; i < 5; ++i) model.observe(0, 5);
  for (int i = 0; i < 5; ++i) model.observe(10, 0);
  EXPECT_EQ(model.seconds_per_work(), std::nullopt);
}

TEST(SpeedModel, NoSpeedIsInfinite) {
  SpeedModel model({});
  for (int i = 0; i < 5; ++i) model.observe(100, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(model.seconds_per_work(), std::nullopt);
}

TEST(SpeedModel, ASpikeChangesNothing) {
  SpeedModel model({});
  for (int i = 0; i < 5; ++i) model.observe(1, 1);
  model.observe(1, 30);
  model.observe(1, 30);
  EXPECT_EQ(model.seconds_per_work(), 1.0);
  model.observe(1, 1);  // Two spikes are fewer than the three that indicate a change.
  EXPECT_EQ(model.seconds_per_work(), 1.0);
}

TEST(SpeedModel, ThreeFarOffOnOneSideAreAChange) {
  SpeedModel model({});
  for (int i = 0; i < 9; ++i) model.observe(1, 1);
  model.observe(1, 3);
  model.observe(1, 3.1);
  EXPECT_EQ(model.seconds_per_work(), 1.0);
  EXPECT_EQ(model.noise(), 0);
  model.observe(1, 2.9);
  EXPECT_EQ(model.seconds_per_work(), 3.0);
  EXPECT_GE(model.noise(), 0.1);  // The earlier iterations are forgotten.
}

TEST(SpeedModel, ThreeFarOffOnBothSidesAreNoise) {
  SpeedModel model({});
  for (int i = 0; i < 9; ++i) model.observe(1, 1);
  for (const double seconds : {3.0, 0.3, 3.0, 0.3}) model.observe(1, seconds);
  EXPECT_EQ(model.seconds_per_work(), 1.0);
}

TEST(SpeedModel, OnlyTheLastNineCount) {
  SpeedModel model({.break_sds = 1e9});
  for (int i = 0; i < 9; ++i) model.observe(1, 1);
  for (int i = 0; i < 5; ++i) model.observe(1, 2);
  EXPECT_EQ(model.seconds_per_work(), 2.0);
}

// The median of nine has a standard error of 1.25 * 2 % / 3 = 0.8 %.
TEST(SpeedModel, WithNoiseOfTwoPercentTheEstimateIsWithinThreeAndSeesNoChange) {
  std::uint32_t changes = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    SpeedModel model({});
    bool had_few = true;
    for (int i = 0; i < 100; ++i) {
      model.observe(10, 10 * (1 + 0.02 * random.normal()));
      if (i < 9) continue;
      EXPECT_THAT(model.seconds_per_work(), Optional(DoubleNear(1, 0.04))) << seed;
      // After a change there are few iterations, whose noise is assumed to be at least a tenth.
      const bool has_few = model.noise() >= 0.1;
      if (has_few && !had_few) ++changes;
      had_few = has_few;
    }
  }
  EXPECT_LE(changes, 2u);  // The limit is for 5,000 iterations.
}

TEST(SpeedModel, NoiseIsRobustAndOfFewIterationsAtLeastATenth) {
  SpeedModel model({});
  for (int i = 0; i < 4; ++i) model.observe(1, 1);
  EXPECT_EQ(model.noise(), 0.1);
  for (const double seconds : {0.9, 1.1, 0.9, 1.1, 1.0}) model.observe(1, seconds);
  // Deviations are 0, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1: most values agree.
  EXPECT_EQ(model.noise(), 0);
  for (const double seconds : {0.9, 1.1}) model.observe(1, seconds);
  EXPECT_NEAR(model.noise(), 0.148, 0.001);
}

TEST(Speeds, TheErrorOfAMedianFallsWithTheWindow) {
  Speeds speeds;
  EXPECT_EQ(speeds.error(std::vector{WorkerId{1}}), 0);
  for (int i = 0; i < 2; ++i) speeds.observe(WorkerId{1}, 1, 2);
  EXPECT_DOUBLE_EQ(speeds.error(std::vector{WorkerId{1}, WorkerId{2}}), 1.25 * 0.1 / 3);
}

TEST(Speeds, AnUnknownWorkerCountsAsTheMedianOfTheKnownOnes) {
  Speeds speeds;
  const std::vector workers{WorkerId{1}, WorkerId{2}, WorkerId{3}, WorkerId{4}};
  EXPECT_THAT(speeds.seconds_per_work(workers), ElementsAre(1, 1, 1, 1));
  for (int i = 0; i < 2; ++i) {
    speeds.observe(WorkerId{1}, 1, 2);
    speeds.observe(WorkerId{2}, 1, 8);
    speeds.observe(WorkerId{3}, 1, 4);
  }
  EXPECT_THAT(speeds.seconds_per_work(workers), ElementsAre(2, 8, 4, 4));
  speeds.forget(WorkerId{2});
  EXPECT_THAT(speeds.seconds_per_work(workers), ElementsAre(2, 3, 4, 3));
  speeds.forget_all();
  EXPECT_THAT(speeds.seconds_per_work(workers), ElementsAre(1, 1, 1, 1));
}

}  // namespace speed_test
}  // namespace surety::elastic
