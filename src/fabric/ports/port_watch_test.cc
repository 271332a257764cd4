#include "fabric/ports/port_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace surety::fabric {
namespace port_watch_test {

constexpr double kTickS = 0.05;

// A port behind a shaper (tc tbf): waiting data passes at `rate`, and after a pause a burst passes
// at once.
class ShapedPort {
 public:
  ShapedPort(double rate, double burst) : rate_(rate), burst_(burst), tokens_(burst) {}

  void offer(double bytes) { waiting_ += bytes; }
  void pass(double seconds) {
    tokens_ = std::min(burst_ + rate_ * seconds, tokens_ + rate_ * seconds);
    const double passes = std::min(waiting_, tokens_);
    tokens_ = std::min(burst_, tokens_ - passes);
    waiting_ -= passes;
    passed_ += passes;
  }
  [[nodiscard]] std::uint64_t passed() const { return static_cast<std::uint64_t>(passed_); }
  [[nodiscard]] double waiting() const { return waiting_; }

 private:
  double rate_;
  double burst_;
  double tokens_;
  double waiting_ = 0;
  double passed_ = 0;
};

// Measures a port to which `offer(tick, waiting)` bytes are offered in each tick.
template <typename Offer>
std::optional<CarriedRate> watch(ShapedPort port, int ticks, Offer offer) {
  PortWatch watch;
  for (int tick = 0; tick <= ticks; ++tick) {
    watch.add_sample(Time(from_seconds(tick * kTickS)), {.out = port.passed(), .in = 0});
    port.offer(offer(tick, port.waiting()));
    port.pass(kTickS);
  }
  const auto seen = watch.rates();
  return seen ? std::optional(seen->out) : std::nullopt;
}

TEST(PortWatch, APortThatIsAlwaysBusyIsAsFastAsItsRateWhateverBurstsItLetsThrough) {
  for (const double rate : {0.3e6, 1.25e6, 4e6}) {
    const auto seen = watch({rate, 64e3}, 60, [](int, double waiting) {
      return waiting < 1e6 ? 1e6 : 0.0;  // The queue is never empty.
    });
    ASSERT_TRUE(seen);
    EXPECT_TRUE(seen->is_steady);
    EXPECT_NEAR(*capacity_of(*seen, 12.5e6), rate, 0.02 * rate);
  }
}

TEST(PortWatch, APortThatRestsIsStillMeasuredWithoutItsBursts) {
  // The port is busy two thirds of the time; after each pause a burst passes.
  const auto seen =
      watch({1.25e6, 64e3}, 120, [](int tick, double) { return tick % 12 == 0 ? 0.5e6 : 0.0; });
  ASSERT_TRUE(seen);
  const auto capacity = capacity_of(*seen, 12.5e6);
  ASSERT_TRUE(capacity);
  EXPECT_NEAR(*capacity, 1.25e6, 0.15e6);
}

TEST(PortWatch, AFastPortWithLittleToCarryShowsItInItsBursts) {
  // The port occasionally carries 250 kB: a fiftieth of the traffic that it could carry.
  const auto seen =
      watch({12.5e6, 64e3}, 60, [](int tick, double) { return tick % 20 == 0 ? 400e3 : 0.0; });
  ASSERT_TRUE(seen);
  EXPECT_EQ(capacity_of(*seen, 12.5e6), 12.5e6);
}

TEST(PortWatch, OneThatCarriedLittleNowAndThenSaysNothing) {
  for (const int together : {1, 4}) {
    const auto seen = watch({12.5e6, 64e3}, 60,
                            [&](int tick, double) { return tick % 20 < together ? 20e3 : 4e3; });
    ASSERT_TRUE(seen);
    EXPECT_EQ(capacity_of(*seen, 12.5e6), std::nullopt) << together;
  }
}

TEST(PortWatch, OneThatCarriedSomeAllTheTimeInBurstsSaysNothing) {
  // All workers wait for a third one, so the port carries a fifth of its possible traffic, in parts
  // of 150 kB.
  const auto seen =
      watch({12.5e6, 64e3}, 60, [](int tick, double) { return tick % 4 == 0 ? 300e3 : 0.0; });
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->is_steady);
  EXPECT_EQ(capacity_of(*seen, 14e6), std::nullopt);
}

TEST(PortWatch, OneThatCarriedNothingSaysNothing) {
  const auto seen = watch({12.5e6, 64e3}, 60, [](int, double) { return 0.0; });
  ASSERT_TRUE(seen);
  EXPECT_EQ(capacity_of(*seen, 12.5e6), std::nullopt);
}

TEST(PortWatch, LessThanASecondSaysNothing) {
  EXPECT_FALSE(watch({1e6, 64e3}, 18, [](int, double) { return 1e6; }));
}

TEST(PortWatch, WhatWasMoreThanASecondAgoIsForgotten) {
  PortWatch watch;
  std::uint64_t passed = 0;
  for (int tick = 0; tick <= 60; ++tick) {
    watch.add_sample(Time(std::chrono::milliseconds(50 * tick)), {.out = 0, .in = passed});
    passed += tick < 30 ? 600'000 : 50'000;  // 12 MB/s at first, then 1 MB/s.
  }
  ASSERT_TRUE(watch.rates());
  EXPECT_NEAR(*capacity_of(watch.rates()->in, 12e6), 1e6, 1e3);
  EXPECT_EQ(watch.rates()->out.burst_bytes_per_s, 0);
}

TEST(PortWatch, LooksThatComeLateAreRatesNotAmounts) {
  PortWatch watch;
  Random random(1);
  std::uint64_t passed = 0;
  Time now{};
  for (int tick = 0; tick < 60; ++tick) {
    const double took = kTickS * (1 + 4 * random.uniform());
    now += from_seconds(took);
    passed += static_cast<std::uint64_t>(2e6 * took);
    watch.add_sample(now, {.out = passed, .in = passed});
  }
  EXPECT_NEAR(*capacity_of(watch.rates()->out, 12.5e6), 2e6, 1e3);
}

}  // namespace port_watch_test
}  // namespace surety::fabric
