#include "plan/choice/pass_times.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::plan {
namespace pass_times_test {

// Versions with all, half and a quarter of the channels on the same nodes.
PassTimes three() { return PassTimes({{1, 0, 0}, {0.5, 1, 0}, {0.25, 2, 0}}); }
double seconds(const PassTimes& times, std::uint32_t variant) {
  return std::exp(times.of(variant).log_s);
}

TEST(PassTimes, AreTheGuessesBeforeAnyWasSeen) {
  const PassTimes times = three();
  EXPECT_FALSE(times.knows_any());
  EXPECT_NEAR(seconds(times, 0), 1, 1e-9);
  EXPECT_NEAR(seconds(times, 2), 0.25, 1e-9);
}

TEST(PassTimes, OnePassSetsTheLevelOfAll) {
  PassTimes times = three();
  times.observe(0, 100);
  EXPECT_NEAR(seconds(times, 0), 100, 1e-6);
  EXPECT_NEAR(seconds(times, 1), 50, 2);
  EXPECT_NEAR(seconds(times, 2), 25, 1);
  // The more a variant differs from the measured one, the less certain its guess is.
  EXPECT_GT(times.of(2).own_sd, times.of(1).own_sd);
  EXPECT_GT(times.of(1).own_sd, times.of(0).own_sd);
}

TEST(PassTimes, WhereOneVersionSavesLittleOthersAreBelievedToSaveLittle) {
  PassTimes times = three();
  times.observe(0, 100);
  times.observe(1, 90);
  EXPECT_GT(seconds(times, 2), 35);
  EXPECT_LT(seconds(times, 2), 90);
}

TEST(PassTimes, TheSpreadThatWasSeenDoesNotAverageOut) {
  PassTimes times = three();
  for (int i = 0; i < 100; ++i) times.observe(0, i % 2 ? 120 : 80);
  EXPECT_NEAR(times.common_sd(), 0.2, 0.01);
  EXPECT_LT(times.of(0).own_sd, 0.03);
}

}  // namespace pass_times_test
}  // namespace surety::plan
