#include "fabric/network/capacities.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace capacities_test {

constexpr WorkerId kWorker{1};

// The port of one worker.
class OnePort : public ::testing::Test {
 protected:
  OnePort() { capacities.set_port(kWorker, {100, 200}); }
  [[nodiscard]] double spare(PortSide side) const {
    return rate_of(capacities.spare()[kWorker.value], side);
  }
  // Half of a block leaves the worker.
  const std::vector<Load> loads{{kWorker, PortSide::kOut, 0.5}};
  Capacities capacities;
};

TEST_F(OnePort, WhatIsPromisedIsNotFreeUntilItIsReleased) {
  capacities.reserve(loads, 80);
  EXPECT_EQ(spare(PortSide::kOut), 60);
  EXPECT_EQ(spare(PortSide::kIn), 200);
  EXPECT_EQ(capacities.whole()[kWorker.value].out_bytes_per_s, 100);
  capacities.release(loads, 80);
  EXPECT_EQ(spare(PortSide::kOut), 100);
}

TEST_F(OnePort, NothingIsFreeOfAPortThatIsSlowerThanWhatIsPromised) {
  capacities.reserve(loads, 80);
  capacities.set_rate(kWorker, PortSide::kOut, 30);
  EXPECT_EQ(spare(PortSide::kOut), 0);
  EXPECT_EQ(capacities.whole()[kWorker.value].out_bytes_per_s, 30);
  EXPECT_EQ(capacities.whole()[kWorker.value].in_bytes_per_s, 200);
  capacities.set_rate(kWorker, PortSide::kOut, 50);
  EXPECT_EQ(spare(PortSide::kOut), 10);
}

TEST_F(OnePort, RoundingErrorsOfPromisesDoNotRemain) {
  const std::vector<Load> third{{kWorker, PortSide::kOut, 1.0 / 3}};
  for (int i = 0; i < 3; ++i) capacities.reserve(third, 0.1);
  for (int i = 0; i < 3; ++i) capacities.release(third, 0.1);
  // The difference to a higher rate would hide a tiny promise that remained.
  capacities.set_rate(kWorker, PortSide::kOut, 1e-18);
  EXPECT_EQ(spare(PortSide::kOut), 1e-18);
}

}  // namespace capacities_test
}  // namespace surety::fabric
