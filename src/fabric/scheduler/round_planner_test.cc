#include "fabric/scheduler/round_planner.h"

#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace round_planner_test {

constexpr double kRate = 100;
constexpr WorkerId kOwner{2};

// Two members and an owner, which has a port four times as fast in.
class PlannerOfTwo : public ::testing::Test {
 protected:
  PlannerOfTwo() : cluster({}, ports()), planner(options(), cluster) {}
  static WorkerPorts ports() {
    WorkerPorts workers = equal_ports(2, {kRate, kRate});
    workers[kOwner] = {kRate, 4 * kRate};
    return workers;
  }
  static SchedulerOptions options() {
    SchedulerOptions options{.block_bytes = 50, .patience = 2};
    options.aggregator_bytes = 1e9;
    return options;
  }
  [[nodiscard]] RoundGroup group() const { return {Direction::kPush, members, owners}; }
  // Another round takes this rate of the owner's port in.
  void load_owner(double rate) {
    const std::vector<Load> loads{{kOwner, PortSide::kIn, 1}};
    cluster.reserve(loads, rate);
  }
  const std::vector<WorkerId> members{WorkerId{0}, WorkerId{1}};
  const std::vector<Share> owners{{kOwner, 1}};
  Cluster cluster;
  RoundPlanner planner;
};

TEST_F(PlannerOfTwo, ARoundIsPlannedOnWhatOthersLeaveFree) {
  const auto alone = planner.plan(group());
  ASSERT_TRUE(alone);
  EXPECT_DOUBLE_EQ(alone->s_per_byte, 1 / kRate);
  load_owner(3.5 * kRate);
  const auto beside = planner.plan(group());
  ASSERT_TRUE(beside);
  EXPECT_GT(beside->s_per_byte, 1.5 / kRate);
  load_owner(0.5 * kRate);
  EXPECT_FALSE(planner.plan(group()));
}

TEST_F(PlannerOfTwo, LoadsNeedNoMoreThanIsFree) {
  load_owner(3.5 * kRate);
  const auto plan = planner.plan(group());
  ASSERT_TRUE(plan);
  const auto loads = planner.loads(group(), *plan);
  EXPECT_FALSE(loads.empty());
  for (const Load& load : loads) {
    const bool of_owner = load.worker == kOwner && load.side == PortSide::kIn;
    const double free = of_owner ? 0.5 * kRate : kRate;
    EXPECT_LE(load.per_byte / plan->s_per_byte, free * (1 + 1e-9));
  }
}

TEST_F(PlannerOfTwo, ItIsWorthWaitingIfTheRoundWouldBeMuchSlowerThanOnAnIdleNetwork) {
  SharePlan plan{.s_per_byte = 1.9 / kRate};
  EXPECT_FALSE(planner.is_worth_waiting(group(), plan, false));
  plan.s_per_byte = 2.1 / kRate;
  EXPECT_TRUE(planner.is_worth_waiting(group(), plan, false));
  EXPECT_FALSE(planner.is_worth_waiting(group(), plan, true));
  plan.s_per_byte = 4.1 / kRate;
  EXPECT_TRUE(planner.is_worth_waiting(group(), plan, true));
}

// Waiting does not make the owner's port faster.
TEST_F(PlannerOfTwo, WhatIsSlowOnAnIdleNetworkIsNotWorthWaitingFor) {
  for (int i = 0; i < 8; ++i) {
    cluster.observe(Time(std::chrono::milliseconds(20 * i)), kOwner, PortSide::kIn, kRate / 20);
  }
  const auto plan = planner.plan(group());
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->s_per_byte, 4 / kRate);
  EXPECT_FALSE(planner.is_worth_waiting(group(), *plan, false));
}

TEST_F(PlannerOfTwo, AWorkerIsReachableWhileMuchOfItsPortIsFree) {
  EXPECT_TRUE(planner.is_reachable(kOwner, Direction::kPull));
  load_owner(1.9 * kRate);
  EXPECT_TRUE(planner.is_reachable(kOwner, Direction::kPull));
  load_owner(0.2 * kRate);
  EXPECT_FALSE(planner.is_reachable(kOwner, Direction::kPull));
  EXPECT_TRUE(planner.is_reachable(kOwner, Direction::kPush));  // Its port out is free.
}

}  // namespace round_planner_test
}  // namespace surety::fabric
