#include "fabric/exchange/rate_watch.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace {

Time at_ms(int ms) { return Time(std::chrono::milliseconds(ms)); }

TEST(RateWatch, SlowSenderIsSlowAndWeAreAsFastAsTheOthersCome) {
  RateWatch watch;
  watch.begin(at_ms(0), 1, {{HostId{1}, 100'000}, {HostId{2}, 100'000}, {HostId{3}, 100'000}},
              150'000);
  watch.arrived(at_ms(9), 1, HostId{1}, 50'000);
  watch.arrived(at_ms(10), 1, HostId{2}, 50'000);
  watch.arrived(at_ms(100), 1, HostId{3}, 50'000);
  const auto seen = watch.take();
  EXPECT_DOUBLE_EQ(seen.in_bytes_per_s, 10e6);  // Two came in 10 ms.
  EXPECT_DOUBLE_EQ(seen.out_bytes_per_s.at(HostId{2}), 10e6);
  EXPECT_DOUBLE_EQ(seen.out_bytes_per_s.at(HostId{3}), 1e6);
  EXPECT_EQ(watch.take().in_bytes_per_s, 0);
}

TEST(RateWatch, TheBestOfSeveralRoundsCounts) {
  RateWatch watch;
  for (const int took : {20, 10, 100}) {
    watch.begin(at_ms(0), 1, {{HostId{1}, 100'000}}, 100'000);
    watch.arrived(at_ms(took), 1, HostId{1}, 100'000);
    watch.end(at_ms(0), 1);
  }
  const auto seen = watch.take();
  EXPECT_DOUBLE_EQ(seen.out_bytes_per_s.at(HostId{1}), 10e6);
  EXPECT_DOUBLE_EQ(seen.in_bytes_per_s, 10e6);
}

TEST(RateWatch, ARoundIsTimedFromTheEndOfTheOneBefore) {
  RateWatch watch;
  watch.begin(at_ms(0), 1, {{HostId{1}, 100'000}}, 100'000);
  watch.begin(at_ms(0), 2, {{HostId{2}, 100'000}}, 100'000);
  watch.arrived(at_ms(10), 1, HostId{1}, 100'000);
  watch.end(at_ms(10), 1);
  watch.arrived(at_ms(15), 2, HostId{2}, 100'000);
  EXPECT_DOUBLE_EQ(watch.take().out_bytes_per_s.at(HostId{2}), 20e6);
}

TEST(RateWatch, WhatIsTooShortOrTooSmallSaysNothing) {
  RateWatch watch;
  watch.begin(at_ms(0), 1, {{HostId{1}, 100'000}, {HostId{2}, 100}}, 100'000);
  watch.arrived(at_ms(1), 1, HostId{1}, 100'000);
  watch.arrived(at_ms(5), 7, HostId{2}, 100'000);  // Of another round.
  EXPECT_TRUE(watch.take().out_bytes_per_s.empty());
}

}  // namespace
}  // namespace surety::fabric
