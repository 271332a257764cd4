#include "orchestrator/session/orders.h"

#include <gmock/gmock.h>

#include "orchestrator/session/roster.h"

namespace surety::orchestrator {
namespace orders_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};
const std::vector<WorkerId> kBoth{kFirst, kSecond};

TEST(Orders, ValidationChunksAreDealtToTheMembersInTurn) {
  EvaluateOrder order{.duality = false, .split = data::Split::kCertify};
  for (std::uint32_t id = 0; id < 3; ++id) order.ranges.push_back({.id = ChunkId{id}, .count = 1});
  const auto commands = commands_of(order, kBoth);
  ASSERT_THAT(commands, SizeIs(2));
  const proto::Evaluate first = commands[0].message.evaluate();
  ASSERT_EQ(first.ranges_size(), 2);
  EXPECT_EQ(first.ranges(1).id(), 2u);
  EXPECT_EQ(first.split(), static_cast<std::uint32_t>(data::Split::kCertify));
  EXPECT_EQ(commands[1].to, kSecond);
  EXPECT_EQ(commands[1].message.evaluate().ranges_size(), 1);
}

TEST(Orders, OneMemberWritesTheModelAndEachTheStateOfItsChunks) {
  const auto commands = commands_of(SaveOrder{"folder"}, kBoth, true);
  ASSERT_THAT(commands, SizeIs(2));
  EXPECT_TRUE(commands[0].message.save().model());
  EXPECT_FALSE(commands[1].message.save().model());
  for (const Command& command : commands) {
    EXPECT_TRUE(command.message.save().chunk_state());
    EXPECT_EQ(command.message.save().folder(), "folder");
  }
}

TEST(Orders, TheSenderOfAProbeIsAskedFirst) {
  Roster roster;
  roster.join(kFirst, "a", {});
  roster.join(kSecond, "b", {});
  const auto commands = commands_of(ProbeOrder{kSecond, kFirst, 10}, roster);
  ASSERT_THAT(commands, SizeIs(2));
  EXPECT_EQ(commands[0].to, kSecond);
  EXPECT_EQ(commands[1].to, kFirst);
  EXPECT_EQ(commands[1].message.probe().from().address(), "b");
  EXPECT_EQ(commands[1].message.probe().to().address(), "a");
}

TEST(Orders, AProbeNeedsBothWorkers) {
  Roster roster;
  roster.join(kFirst, "a", {});
  EXPECT_THAT(commands_of(ProbeOrder{kFirst, kSecond, 10}, roster), IsEmpty());
  EXPECT_THAT(commands_of(ProbeOrder{kSecond, kFirst, 10}, roster), IsEmpty());
}

TEST(Orders, EveryOrderButAProbeNeedsAMember) {
  EXPECT_DEATH((void)commands_of(SwitchOrder{"pruned"}, {}), "members.empty");
}

}  // namespace orders_test
}  // namespace surety::orchestrator
