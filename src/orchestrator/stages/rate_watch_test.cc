#include "orchestrator/stages/rate_watch.h"

#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace rate_watch_test {

TEST(RateWatch, TwoPassesOnEndThatAreWorseBeyondNoiseAreToldOnce) {
  RateWatch watch;
  EXPECT_FALSE(watch.on_pass(0.5, 0.01));
  EXPECT_FALSE(watch.on_pass(0.6, 0.01));
  EXPECT_TRUE(watch.on_pass(0.7, 0.01));
  EXPECT_FALSE(watch.on_pass(0.8, 0.01));
}

TEST(RateWatch, NoiseIsNoRise) {
  RateWatch watch;
  for (const double metric : {0.5, 0.52, 0.54, 0.56}) EXPECT_FALSE(watch.on_pass(metric, 0.01));
}

TEST(RateWatch, OneWorsePassIsNone) {
  RateWatch watch;
  for (const double metric : {0.5, 0.6, 0.4, 0.5, 0.3}) EXPECT_FALSE(watch.on_pass(metric, 0.001));
}

TEST(RateWatch, AnotherModelIsNotComparedWithTheLast) {
  RateWatch watch;
  EXPECT_FALSE(watch.on_pass(0.5, 0.01));
  EXPECT_FALSE(watch.on_pass(0.6, 0.01));
  watch.on_model_changed();
  EXPECT_FALSE(watch.on_pass(0.7, 0.01));
  EXPECT_FALSE(watch.on_pass(0.8, 0.01));
  EXPECT_TRUE(watch.on_pass(0.9, 0.01));
}

TEST(RateWatch, ASecondRiseIsNotToldAgain) {
  for (const bool changes : {false, true}) {
    RateWatch watch;
    EXPECT_FALSE(watch.on_pass(0.5, 0.01));
    EXPECT_FALSE(watch.on_pass(0.6, 0.01));
    EXPECT_TRUE(watch.on_pass(0.7, 0.01));
    if (changes) watch.on_model_changed();
    for (const double metric : {0.5, 0.6, 0.7, 0.8}) EXPECT_FALSE(watch.on_pass(metric, 0.01));
  }
}

}  // namespace rate_watch_test
}  // namespace surety::orchestrator
