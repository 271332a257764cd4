#include "bench/fabric_sim/round_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::bench::sim {
namespace round_loads_test {

using namespace fabric;
using Kind = surety::sim::Link::Kind;

// 20 workers in racks of ten, or all at one switch.
World world_of(bool oversubscribed) {
  return World({.scenario = {.oversubscribed = oversubscribed}, .workers = 20, .servers = 0});
}

double load_on(const std::vector<surety::sim::LinkLoad>& loads, Kind kind, std::uint32_t index) {
  for (const auto& [link, per_byte] : loads) {
    if (link == surety::sim::Link{kind, index}) return per_byte;
  }
  return 0;
}

TEST(RoundLoads, WhatGoesToAnotherRackIsOnBothLinksToTheCore) {
  // Members 0 and 1 send to owner 10 of the other rack; member 0 sums half of the block before.
  Grant grant{.members = {WorkerId{0}, WorkerId{1}}};
  grant.plan = {.direct = 0.5, .shares = {{WorkerId{0}, 0.5}}};
  const Share owners[] = {{WorkerId{10}, 1}};
  const auto loads = loads_of_round(world_of(true), grant, owners);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kOut, 0), 1);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kIn, 0), 0.5);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kIn, 10), 1.5);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kRackOut, 0), 1.5);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kRackIn, 1), 1.5);
  EXPECT_EQ(load_on(loads, Kind::kRackOut, 1), 0);
  const auto at_one_switch = loads_of_round(world_of(false), grant, owners);
  EXPECT_EQ(load_on(at_one_switch, Kind::kRackOut, 0), 0);
}

TEST(RoundLoads, OnlyWhatChangesOwnersMoves) {
  const Share before[] = {{WorkerId{0}, 0.5}, {WorkerId{1}, 0.5}};
  const Share after[] = {{WorkerId{0}, 0.25}, {WorkerId{1}, 0.25}, {WorkerId{2}, 0.5}};
  const auto loads = loads_of_move(world_of(false), before, after);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kOut, 0), 0.25);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kIn, 1), 0.25);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kOut, 1), 0.5);
  EXPECT_DOUBLE_EQ(load_on(loads, Kind::kIn, 2), 0.5);
  EXPECT_EQ(load_on(loads, Kind::kIn, 0), 0);
}

}  // namespace round_loads_test
}  // namespace surety::bench::sim
