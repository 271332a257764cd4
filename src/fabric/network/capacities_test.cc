#include "fabric/network/capacities.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace capacities_test {

constexpr HostId kHost{1};
constexpr Resource kOut{Resource::Kind::kOut, 1};
constexpr Resource kIn{Resource::Kind::kIn, 1};
constexpr Resource kRackOut{Resource::Kind::kRackOut, 1};

// Two racks, and one host in the second one.
class PortsAndRacks : public ::testing::Test {
 protected:
  PortsAndRacks() : capacities({{1000, 2000}, {3000, 4000}}) {
    capacities.set_port(kHost, {100, 200, 1});
  }
  [[nodiscard]] double spare(PortSide side) const {
    return rate_of(capacities.spare().ports[kHost.value], side);
  }
  [[nodiscard]] double spare_of_rack(std::size_t rack, PortSide side) const {
    return rate_of(capacities.spare().racks[rack], side);
  }
  // Half of a block leaves the host, and the whole block leaves its rack.
  const std::vector<Load> loads{{kOut, 0.5}, {kRackOut, 1}};
  Capacities capacities;
};

TEST_F(PortsAndRacks, WhatIsPromisedIsNotFreeUntilItIsReleased) {
  capacities.reserve(loads, 80);
  EXPECT_EQ(spare(PortSide::kOut), 60);
  EXPECT_EQ(spare(PortSide::kIn), 200);
  EXPECT_EQ(spare_of_rack(1, PortSide::kOut), 2920);
  EXPECT_EQ(spare_of_rack(1, PortSide::kIn), 4000);
  EXPECT_EQ(spare_of_rack(0, PortSide::kOut), 1000);
  EXPECT_EQ(capacities.whole().ports[kHost.value].out_bytes_per_s, 100);
  EXPECT_EQ(capacities.whole().racks[1].out_bytes_per_s, 3000);
  EXPECT_EQ(capacities.spare().ports[kHost.value].rack, 1u);
  capacities.release(loads, 80);
  EXPECT_EQ(spare(PortSide::kOut), 100);
  EXPECT_EQ(spare_of_rack(1, PortSide::kOut), 3000);
}

TEST_F(PortsAndRacks, NothingIsFreeOfAPortThatIsSlowerThanWhatIsPromised) {
  capacities.reserve(loads, 80);
  capacities.set_rate(kHost, PortSide::kOut, 30);
  EXPECT_EQ(spare(PortSide::kOut), 0);
  EXPECT_EQ(capacities.rate(kOut), 30);
  EXPECT_EQ(capacities.rate(kIn), 200);
  capacities.set_rate(kHost, PortSide::kOut, 50);
  EXPECT_EQ(spare(PortSide::kOut), 10);
}

TEST_F(PortsAndRacks, RoundingErrorsOfPromisesDoNotRemain) {
  const std::vector<Load> third{{kOut, 1.0 / 3}};
  for (int i = 0; i < 3; ++i) capacities.reserve(third, 0.1);
  for (int i = 0; i < 3; ++i) capacities.release(third, 0.1);
  EXPECT_EQ(capacities.most_reserved(third), 0);
  EXPECT_EQ(spare(PortSide::kOut), 100);
}

TEST_F(PortsAndRacks, TheMostReservedResourceIsThatWithTheHighestRatio) {
  capacities.reserve(loads, 80);
  EXPECT_DOUBLE_EQ(capacities.most_reserved(loads), 0.4);
  capacities.reserve(std::vector<Load>{{kRackOut, 1}}, 1420);
  EXPECT_DOUBLE_EQ(capacities.most_reserved(loads), 0.5);
  EXPECT_EQ(capacities.rate(kRackOut), 3000);
}

}  // namespace capacities_test
}  // namespace surety::fabric
