#include "fabric/ports/sum_ports.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/random.h"

namespace surety::fabric {
namespace sum_ports_test {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The time when the last port has finished.
double time_of(const std::vector<double>& ports, const std::vector<double>& shares) {
  double time = 0;
  const auto others = static_cast<double>(ports.size()) - 2;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    time = std::max(time, (1 + others * shares[i]) / ports[i]);
  }
  return time;
}

TEST(SharesOfSum, AreEqualForEqualPortsAndForTwo) {
  EXPECT_THAT(shares_of_sum({5, 5, 5, 5}), Each(DoubleNear(0.25, 1e-12)));
  EXPECT_THAT(shares_of_sum({1, 9}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(shares_of_sum({3}), ElementsAre(1));
}

TEST(SharesOfSum, APortThatNeedsLongerForItsOwnAddsUpNothing) {
  const auto shares = shares_of_sum({12.5, 3.125, 12.5, 12.5});
  EXPECT_NEAR(shares[1], 0, 1e-12);
  EXPECT_NEAR(shares[0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(time_of({12.5, 3.125, 12.5, 12.5}, shares), 1 / 3.125, 1e-12);
}

// Compares with random other shares: they take as long or longer.
TEST(SharesOfSum, NoOthersAreFaster) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> ports(3 + random.below(6));
    for (double& port : ports) port = std::exp(2 * random.normal());
    const auto best = shares_of_sum(ports);
    EXPECT_NEAR(std::accumulate(best.begin(), best.end(), 0.0), 1, 1e-9);
    EXPECT_GE(*std::ranges::min_element(best), 0);
    const double time = time_of(ports, best);
    for (int other = 0; other < 50; ++other) {
      std::vector<double> shares = best;
      const std::size_t from = random.below(shares.size());
      const std::size_t to = random.below(shares.size());
      const double moved = shares[from] * random.uniform();
      shares[from] -= moved;
      shares[to] += moved;
      EXPECT_GE(time_of(ports, shares), time * (1 - 1e-9));
    }
  }
}

constexpr double kPort = 1e7;
constexpr auto kSampleInterval = std::chrono::milliseconds(50);

// Measures a port that carries these rates during sums and in the pauses between them.
std::optional<PortWatch::Rates> seen_in_sums(double in_sums, double in_rests) {
  SumWatch watch;
  Time now{};
  PortBytes passed;
  const auto pass_time = [&](double rate) {
    now += kSampleInterval;
    passed.out += static_cast<std::uint64_t>(rate * to_seconds(kSampleInterval));
    passed.in = passed.out;
  };
  for (int sum = 0; sum < 10; ++sum) {
    watch.begin(now, passed);
    for (int tick = 0; tick < 5; ++tick) {  // The other workers have not started yet.
      pass_time(0);
      watch.add_sample(now, passed);
    }
    for (int tick = 0; tick < 5; ++tick) {
      pass_time(in_sums);
      watch.add_sample(now, passed);
    }
    watch.end(now, passed);
    for (int tick = 0; tick < 20; ++tick) pass_time(in_rests);
  }
  return watch.rates();
}

TEST(SumWatch, RestsAndWaitsDoNotCount) {
  for (const double rest : {0.0, 3 * kPort}) {
    const auto seen = seen_in_sums(kPort, rest);
    ASSERT_TRUE(seen);
    for (const CarriedRate& side : {seen->out, seen->in}) {
      EXPECT_TRUE(side.is_steady);
      EXPECT_NEAR(side.burst_bytes_per_s, kPort, 1);
      EXPECT_NEAR(side.sustained_bytes_per_s, kPort, 1);
    }
  }
}

TEST(SumWatch, CountersThatFallAreNoTraffic) {
  SumWatch watch;
  watch.begin(Time{}, {.out = 1'000'000, .in = 1'000'000});
  watch.add_sample(Time{kSampleInterval}, {.out = 5'000, .in = 2'000'000});
  watch.add_sample(Time{3 * kSampleInterval}, {.out = 500'000, .in = 500});
  watch.end(Time{4 * kSampleInterval}, {.out = 100, .in = 100});
  EXPECT_FALSE(watch.rates());
}

PortWatch::Rates steady(double rate) {
  const CarriedRate side{
      .burst_bytes_per_s = rate, .sustained_bytes_per_s = rate, .is_steady = true};
  return {.out = side, .in = side};
}

const std::vector<WorkerId> kFour{WorkerId{1}, WorkerId{2}, WorkerId{5}, WorkerId{7}};

TEST(SumPorts, WithoutASlowPortPartsAreEqual) {
  SumPorts ports;
  EXPECT_THAT(ports.shares(kFour), IsEmpty());
  for (const WorkerId worker : kFour) ports.observe(worker, steady(kPort));
  EXPECT_THAT(ports.shares(kFour), IsEmpty());
}

TEST(SumPorts, ASlowPortGivesItsPartUpAndGetsItBackWhenItIsFast) {
  SumPorts ports;
  for (const WorkerId worker : kFour) {
    ports.observe(worker, steady(worker == kFour[2] ? kPort / 4 : kPort));
  }
  EXPECT_EQ(ports.bytes_per_s(kFour[2]), kPort / 4);
  const auto shares = ports.shares(kFour);
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_NEAR(shares[2], 0, 1e-9);
  EXPECT_NEAR(shares[0], 1.0 / 3, 1e-9);
  // The port is idle most of the time now, but its bursts show its full rate.
  CarriedRate quick{.burst_bytes_per_s = kPort, .sustained_bytes_per_s = kPort / 3};
  ports.observe(kFour[2], {.out = quick, .in = quick});
  EXPECT_THAT(ports.shares(kFour), IsEmpty());
}

// The typical rate grows as faster ports are measured.
TEST(SumPorts, APortThatWasTypicalIsNotSlowWhenFasterOnesAreSeen) {
  SumPorts ports;
  for (const double rate : {kPort, 1.5 * kPort, 1.9 * kPort}) {
    for (const WorkerId worker : kFour) {
      ports.observe(worker, steady(worker == kFour[1] ? kPort : rate));
    }
    EXPECT_THAT(ports.shares(kFour), IsEmpty());
  }
}

TEST(SumPorts, APortOfWhichNothingCanBeToldStaysWhatItWas) {
  SumPorts ports;
  for (const WorkerId worker : kFour) {
    ports.observe(worker, steady(worker == kFour[0] ? kPort / 5 : kPort));
  }
  const auto before = ports.shares(kFour);
  const CarriedRate little{.burst_bytes_per_s = kPort / 10, .sustained_bytes_per_s = kPort / 40};
  ports.observe(kFour[0], {.out = little, .in = little});
  EXPECT_EQ(ports.shares(kFour), before);
  ports.forget(kFour[0]);
  EXPECT_THAT(ports.shares(kFour), IsEmpty());
}

}  // namespace sum_ports_test
}  // namespace surety::fabric
