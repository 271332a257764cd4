#include "fabric/scheduler/live_rounds.h"

#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace live_rounds_test {

constexpr double kRate = 100;
constexpr WorkerId kOwner{3};

// Three members and an owner that sums, because members may not stage a byte. A block has 100
// bytes.
class RoundsUnderWay : public ::testing::Test {
 protected:
  RoundsUnderWay()
      : cluster({}, equal_ports(4, {kRate, kRate})),
        planner(options(), cluster),
        rounds(options(), cluster, planner) {}
  static SchedulerOptions options() {
    SchedulerOptions options{.blocks = 2, .block_bytes = 100};
    options.owners = {{kOwner, 1}};
    options.headroom = 0;
    options.aggregator_bytes = 0;
    return options;
  }
  static LiveRound round_of(std::vector<WorkerId> members, Direction direction = Direction::kPush) {
    LiveRound round{.direction = direction, .block = 1, .owners = {{kOwner, 1}}};
    for (const WorkerId member : members) round.items.push_back(ItemId{member.value});
    round.members = std::move(members);
    return round;
  }
  RoundId start(const LiveRound& round) {
    const auto plan = planner.plan({round.direction, round.members, round.owners});
    EXPECT_TRUE(plan);
    return rounds.start(round, *plan);
  }
  // The free rates of a port.
  [[nodiscard]] double spare(WorkerId worker, PortSide side) const {
    return rate_of(cluster.spare()[worker.value], side);
  }
  Cluster cluster;
  RoundPlanner planner;
  LiveRounds rounds;
};

TEST_F(RoundsUnderWay, ARoundHasItsRatesUntilItEnds) {
  const LiveRound round = round_of({WorkerId{0}, WorkerId{1}});
  const RoundId id = start(round);
  EXPECT_EQ(rounds.size(), 1u);
  // The owner receives the block twice, so that each member sends at half of its rate.
  EXPECT_DOUBLE_EQ(spare(WorkerId{0}, PortSide::kOut), kRate / 2);
  EXPECT_DOUBLE_EQ(spare(kOwner, PortSide::kIn), 0);
  EXPECT_DOUBLE_EQ(spare(WorkerId{2}, PortSide::kOut), kRate);
  EXPECT_FALSE(rounds.end(id + 1));
  const auto ended = rounds.end(id);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->members, round.members);
  EXPECT_EQ(ended->items, round.items);
  EXPECT_DOUBLE_EQ(spare(WorkerId{0}, PortSide::kOut), kRate);
  EXPECT_DOUBLE_EQ(spare(kOwner, PortSide::kIn), kRate);
  EXPECT_FALSE(rounds.end(id));
  EXPECT_EQ(rounds.size(), 0u);
}

TEST_F(RoundsUnderWay, IdsGrowAndAreNeverUsedAgain) {
  const RoundId first = start(round_of({WorkerId{0}}));
  const RoundId other = rounds.next_id();
  ASSERT_TRUE(rounds.end(first));
  const RoundId last = start(round_of({WorkerId{0}}));
  EXPECT_LT(first, other);
  EXPECT_LT(other, last);
}

}  // namespace live_rounds_test
}  // namespace surety::fabric
