#include "fabric/network/port_ranks.h"

#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace port_ranks_test {

// Three classes; the ports of five workers.
class FivePorts : public ::testing::Test {
 protected:
  FivePorts() : ranks(3, equal_ports(5, {100, 100})), ports(5, Port{100, 100}) {}
  void compare(WorkerId worker, PortSide side, double rate) {
    rate_of(ports[worker.value], side) = rate;
    ranks.set_rate(worker, side, rate);
    ranks.compare(ports);
  }
  PortRanks ranks;
  std::vector<Port> ports;
};

TEST_F(FivePorts, TheClassesOfTheTwoSidesAreIndependent) {
  ranks.set_rate(WorkerId{1}, PortSide::kIn, 40);
  ranks.set_rate(WorkerId{2}, PortSide::kOut, 10);
  EXPECT_EQ(ranks.class_of(WorkerId{0}, PortSide::kIn), 0u);
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 1u);
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kOut), 0u);
  EXPECT_EQ(ranks.class_of(WorkerId{2}, PortSide::kOut), 2u);
}

TEST_F(FivePorts, ClassesAreRelativeToTheFastestPort) {
  for (std::uint32_t h = 1; h < 5; ++h) compare(WorkerId{h}, PortSide::kIn, 20);
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 2u);
  compare(WorkerId{0}, PortSide::kIn, 20);
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 0u);
  compare(WorkerId{4}, PortSide::kIn, 60);  // It is the fastest now.
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 1u);
}

TEST_F(FivePorts, APortIsFastIfNeitherSideIsBelowHalfOfTheMedian) {
  compare(WorkerId{1}, PortSide::kIn, 10);
  compare(WorkerId{2}, PortSide::kOut, 10);
  EXPECT_TRUE(ranks.is_fast(WorkerId{0}));
  EXPECT_FALSE(ranks.is_fast(WorkerId{1}));
  EXPECT_FALSE(ranks.is_fast(WorkerId{2}));
  // Once most ports have a tenth of the rate of the fastest one, these are fast.
  for (const std::uint32_t h : {3u, 4u}) compare(WorkerId{h}, PortSide::kIn, 10);
  EXPECT_TRUE(ranks.is_fast(WorkerId{1}));
}

TEST_F(FivePorts, APortIsFastOrNotOnlyByComparison) {
  ranks.set_rate(WorkerId{1}, PortSide::kIn, 10);
  EXPECT_TRUE(ranks.is_fast(WorkerId{1}));
  ports[1].in_bytes_per_s = 10;
  ranks.compare(ports);
  EXPECT_FALSE(ranks.is_fast(WorkerId{1}));
}

TEST_F(FivePorts, APortNearALimitKeepsItsRank) {
  compare(WorkerId{1}, PortSide::kIn, 47);
  EXPECT_TRUE(ranks.is_fast(WorkerId{1}));
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 0u);
  compare(WorkerId{1}, PortSide::kIn, 20);
  compare(WorkerId{1}, PortSide::kIn, 53);
  EXPECT_FALSE(ranks.is_fast(WorkerId{1}));
  EXPECT_EQ(ranks.class_of(WorkerId{1}, PortSide::kIn), 1u);
}

TEST(PortRanks, WorkersThatHaveNoPortAreNotCompared) {
  WorkerPorts workers;
  std::vector<Port> ports(5);  // The ids 0 and 1 belong to no worker.
  for (std::uint32_t h = 2; h < 5; ++h) {
    ports[h] = {100, h == 2 ? 10.0 : 100.0};
    workers[WorkerId{h}] = ports[h];
  }
  PortRanks ranks(3, workers);
  ranks.compare(ports);  // The median of the three is 100.
  EXPECT_FALSE(ranks.is_fast(WorkerId{2}));
  EXPECT_TRUE(ranks.is_fast(WorkerId{3}));
}

}  // namespace port_ranks_test
}  // namespace surety::fabric
