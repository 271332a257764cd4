#include "fabric/scheduler/live_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace live_rounds_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRate = 100;
constexpr HostId kOwner{3};

// Three members and an owner that sums. A block has 100 bytes.
class RoundsUnderWay : public ::testing::Test {
 protected:
  RoundsUnderWay() : cluster({}), planner(options(), cluster), rounds(options(), cluster, planner) {
    for (std::uint32_t h = 0; h < 4; ++h) cluster.join(HostId{h}, {kRate, kRate}, false);
  }
  static SchedulerOptions options() {
    SchedulerOptions options{.blocks = 2, .block_bytes = 100};
    options.owners = {{kOwner, 1}};
    options.headroom = 0;
    return options;
  }
  static LiveRound round_of(std::vector<HostId> members, Direction direction = Direction::kPush) {
    LiveRound round{.direction = direction, .block = 1, .owners = {{kOwner, 1}}};
    for (const HostId member : members) round.items.push_back(ItemId{member.value});
    round.members = std::move(members);
    return round;
  }
  static Time at(double seconds) { return Time(from_seconds(seconds)); }
  RoundId start(double seconds, const LiveRound& round) {
    const auto plan = planner.plan({round.direction, round.members, round.owners});
    EXPECT_TRUE(plan);
    return rounds.start(at(seconds), round, *plan);
  }
  // What is free of a port.
  [[nodiscard]] double spare(HostId host, PortSide side) const {
    return rate_of(cluster.spare().ports[host.value], side);
  }
  void set_rate(double seconds, HostId host, double rate) {
    for (int i = 0; i < 5; ++i) {
      cluster.observe(at(seconds + 0.02 * i), host, PortSide::kOut, rate);
    }
    cluster.refresh(at(seconds + 0.1));
  }
  Cluster cluster;
  RoundPlanner planner;
  LiveRounds rounds;
  std::vector<Action> actions;
};

TEST_F(RoundsUnderWay, ARoundHasItsRatesUntilItEnds) {
  const LiveRound round = round_of({HostId{0}, HostId{1}});
  const RoundId id = start(0, round);
  EXPECT_EQ(rounds.size(), 1u);
  // The owner receives the block twice, so that each member sends at half of its rate.
  EXPECT_DOUBLE_EQ(spare(HostId{0}, PortSide::kOut), kRate / 2);
  EXPECT_DOUBLE_EQ(spare(kOwner, PortSide::kIn), 0);
  EXPECT_DOUBLE_EQ(spare(HostId{2}, PortSide::kOut), kRate);
  EXPECT_DOUBLE_EQ(rounds.reserved_most(), 1);
  EXPECT_FALSE(rounds.end(id + 1));
  const auto ended = rounds.end(id);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->members, round.members);
  EXPECT_EQ(ended->items, round.items);
  EXPECT_DOUBLE_EQ(spare(HostId{0}, PortSide::kOut), kRate);
  EXPECT_DOUBLE_EQ(spare(kOwner, PortSide::kIn), kRate);
  EXPECT_DOUBLE_EQ(rounds.reserved_most(), 1);
  EXPECT_FALSE(rounds.end(id));
  EXPECT_EQ(rounds.size(), 0u);
}

TEST_F(RoundsUnderWay, IdsGrowAndAreNeverUsedAgain) {
  const RoundId first = start(0, round_of({HostId{0}}));
  const RoundId other = rounds.next_id();
  ASSERT_TRUE(rounds.end(first));
  const RoundId last = start(0, round_of({HostId{0}}));
  EXPECT_LT(first, other);
  EXPECT_LT(other, last);
}

TEST_F(RoundsUnderWay, UpdatesOfABlockAreThoseOfItsPushes) {
  ASSERT_GT(start(0, round_of({HostId{0}, HostId{1}})), 0u);
  ASSERT_GT(start(0, round_of({HostId{2}}, Direction::kPull)), 0u);
  EXPECT_EQ(rounds.updates_of(1), 2u);
  EXPECT_EQ(rounds.updates_of(0), 0u);
}

TEST_F(RoundsUnderWay, TheLossOfAHostAbortsEachOfItsRoundsOnce) {
  const RoundId id = start(0, round_of({HostId{0}, HostId{1}}));
  rounds.abort_rounds_of(HostId{2}, actions);
  EXPECT_THAT(actions, IsEmpty());
  rounds.abort_rounds_of(HostId{1}, actions);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(std::get<Abort>(actions[0]).round, id);
  EXPECT_EQ(std::get<Abort>(actions[0]).why.reason, Reason::kHostLost);
  rounds.abort_rounds_of(kOwner, actions);
  EXPECT_THAT(actions, SizeIs(1));
  EXPECT_EQ(rounds.size(), 1u);  // It ends when its owner answers.
}

TEST_F(RoundsUnderWay, TheLossOfAnOwnerAbortsItsRounds) {
  start(0, round_of({HostId{0}}));
  rounds.abort_rounds_of(kOwner, actions);
  EXPECT_THAT(actions, SizeIs(1));
}

// Two members take two seconds. The second member's port then needs 20 seconds for the block.
TEST_F(RoundsUnderWay, ARoundIsCheckedOnlyWhenItIsLateAndThenContinuesWithoutTheSlowMember) {
  SchedulerOptions classes = options();
  classes.cluster.classes = 2;
  cluster = Cluster(classes.cluster);
  for (std::uint32_t h = 0; h < 4; ++h) cluster.join(HostId{h}, {kRate, kRate}, false);
  const RoundId id = start(0, round_of({HostId{0}, HostId{1}}));
  set_rate(2, HostId{1}, kRate / 20);
  rounds.abort_slow(at(3), actions);
  EXPECT_THAT(actions, IsEmpty());
  rounds.abort_slow(at(3.3), actions);  // This is 1.6 times what was planned.
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(std::get<Abort>(actions[0]).round, id);
  EXPECT_EQ(std::get<Abort>(actions[0]).why.reason, Reason::kEject);
  EXPECT_DOUBLE_EQ(spare(HostId{0}, PortSide::kOut), kRate / 2);  // It is still promised.
  rounds.abort_slow(at(30), actions);
  EXPECT_THAT(actions, SizeIs(1));
}

TEST_F(RoundsUnderWay, ALateRoundThatWouldNotBeFasterGoesOn) {
  start(0, round_of({HostId{0}}));
  set_rate(1, HostId{0}, kRate / 20);
  rounds.abort_slow(at(2), actions);
  EXPECT_THAT(actions, IsEmpty());
}

}  // namespace live_rounds_test
}  // namespace surety::fabric
