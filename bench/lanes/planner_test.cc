#include "bench/lanes/planner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace surety::bench {
namespace planner_test {

using namespace fabric;

const std::vector<WorkerId> kFour{WorkerId{0}, WorkerId{1}, WorkerId{2}, WorkerId{3}};

TEST(AllReduceShares, EqualPortsHaveEqualShares) {
  const std::vector<Port> ports(4, {.out_bytes_per_s = 100, .in_bytes_per_s = 100});
  for (const Share& share : all_reduce_shares(ports, kFour)) {
    EXPECT_NEAR(share.fraction, 0.25, 1e-12);
  }
}

// The slow member needs 1/25 s a byte to send and receive its own vector; the others have spare
// time.
TEST(AllReduceShares, MemberAtAQuarterOfTheRateSumsNothing) {
  std::vector<Port> ports(4, {.out_bytes_per_s = 100, .in_bytes_per_s = 100});
  ports[3].out_bytes_per_s = 25;
  const auto shares = all_reduce_shares(ports, kFour);
  EXPECT_EQ(shares[3].fraction, 0);
  EXPECT_GT(shares[0].fraction, 0);
  EXPECT_EQ(shares[0].fraction, shares[2].fraction);
}

// The time is t = max over members of (1 + (K - 2) s) / C. Moving a small part of a share from one
// member to another never makes it shorter.
TEST(AllReduceShares, NoSmallMoveBetweenMembersMakesAnAllReduceFaster) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto count = static_cast<std::uint32_t>(3 + random.below(6));
    std::vector<Port> ports;
    std::vector<WorkerId> members;
    for (std::uint32_t i = 0; i < count; ++i) {
      const double rate = 1 + 9 * random.uniform();
      ports.push_back({.out_bytes_per_s = rate, .in_bytes_per_s = rate});
      members.push_back(WorkerId{i});
    }
    const auto found = all_reduce_shares(ports, members);
    double sum = 0;
    for (const Share& share : found) sum += share.fraction;
    std::vector<double> s;
    for (const Share& share : found) s.push_back(share.fraction / sum);
    const auto slowest = [&] {
      double t = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        t = std::max(t, (1 + (count - 2) * s[i]) / ports[i].out_bytes_per_s);
      }
      return t;
    };
    const double best = slowest();
    for (std::uint32_t a = 0; a < count; ++a) {
      for (std::uint32_t b = 0; b < count; ++b) {
        const double moved = std::min(s[a], 0.01);
        s[a] -= moved, s[b] += moved;
        EXPECT_GE(slowest(), best * (1 - 1e-9)) << "seed " << seed;
        s[a] += moved, s[b] -= moved;
      }
    }
  }
}

}  // namespace planner_test
}  // namespace surety::bench
