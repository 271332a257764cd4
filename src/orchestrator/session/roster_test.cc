#include "orchestrator/session/roster.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace roster_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};

Roster of_two() {
  Roster roster;
  roster.join(kSecond, "b", {});
  roster.join(kFirst, "a", {4, 5});
  return roster;
}

TEST(Roster, AWorkerStaysUntilItDeclaresOnceThatItLeaves) {
  Roster roster = of_two();
  EXPECT_THAT(roster.staying(), ElementsAre(kFirst, kSecond));
  EXPECT_THAT(roster.leaving(), IsEmpty());
  EXPECT_TRUE(roster.leave(kFirst));
  EXPECT_FALSE(roster.leave(kFirst));
  EXPECT_FALSE(roster.leave(WorkerId{3}));
  EXPECT_THAT(roster.staying(), ElementsAre(kSecond));
  EXPECT_THAT(roster.leaving(), ElementsAre(kFirst));
  EXPECT_TRUE(roster.contains(kFirst));
}

TEST(Roster, OnlyARemovedWorkerIsNotThere) {
  Roster roster = of_two();
  roster.remove(kFirst);
  roster.remove(WorkerId{3});
  EXPECT_FALSE(roster.contains(kFirst));
  EXPECT_THAT(roster.staying(), ElementsAre(kSecond));
  EXPECT_DEATH((void)roster.peer(kFirst), "contains");
}

TEST(Roster, ThePeersAreAllWorkersThoseThatLeaveIncluded) {
  Roster roster = of_two();
  roster.leave(kSecond);
  const auto peers = roster.peers();
  ASSERT_EQ(peers.size(), 2u);
  EXPECT_EQ(peers[0].worker(), 1u);
  EXPECT_EQ(peers[0].address(), "a");
  EXPECT_EQ(peers[1].worker(), 2u);
  EXPECT_EQ(roster.peer(kSecond).address(), "b");
}

TEST(Roster, SamplesInMemoryAreKnownUntilTheyAreForgotten) {
  Roster roster = of_two();
  EXPECT_THAT(roster.chunks_in_memory(kFirst), ElementsAre(4, 5));
  EXPECT_THAT(roster.chunks_in_memory(kSecond), IsEmpty());
  roster.forget_samples(kFirst);
  EXPECT_THAT(roster.chunks_in_memory(kFirst), IsEmpty());
}

}  // namespace roster_test
}  // namespace surety::orchestrator
