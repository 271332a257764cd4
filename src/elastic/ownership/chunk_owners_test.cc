#include "elastic/ownership/chunk_owners.h"

#include <gtest/gtest.h>

namespace surety::elastic {
namespace chunk_owners_test {

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};
constexpr ChunkId kC0{0};

// One chunk that worker 1 owns, with its state.
ChunkOwners owned_by_one() {
  ChunkOwners owners(1);
  owners.confirm(owners.grant(kC0, kW1));
  return owners;
}

TEST(ChunkOwners, AnOrphanIsGrantedWithoutStateAndAnOwnedChunkWithIt) {
  ChunkOwners owners(1);
  const Grant first = owners.grant(kC0, kW1);
  EXPECT_EQ(first, (Grant{kC0, 1, kW1, std::nullopt}));
  EXPECT_EQ(owners.all()[0].state, Ownership::kHanding);
  EXPECT_EQ(owners.confirm(first), std::nullopt);
  EXPECT_EQ(owners.all()[0].state, Ownership::kOwned);
  const Grant second = owners.grant(kC0, kW2);
  EXPECT_EQ(second, (Grant{kC0, 2, kW2, kW1}));
  EXPECT_EQ(owners.confirm(second), kW1);
  EXPECT_EQ(owners.all()[0].owner, kW2);
  EXPECT_EQ(owners.all()[0].holder, std::nullopt);
}

TEST(ChunkOwners, AChunkInHandOverHasAReceiverAndAHolder) {
  ChunkOwners owners = owned_by_one();
  const Grant grant = owners.grant(kC0, kW2);
  EXPECT_TRUE(owners.has_any(kW1));
  EXPECT_TRUE(owners.has_any(kW2));
  EXPECT_FALSE(owners.has_any(kW3));
  owners.confirm(grant);
  EXPECT_FALSE(owners.has_any(kW1));
  EXPECT_TRUE(owners.has_any(kW2));
}

TEST(ChunkOwners, AnOwnerThatDiesLeavesAnOrphanWithoutState) {
  ChunkOwners owners = owned_by_one();
  owners.lose(kW1);
  EXPECT_EQ(owners.all()[0].state, Ownership::kOrphan);
  EXPECT_EQ(owners.all()[0].version, 2u);
  EXPECT_FALSE(owners.has_any(kW1));
  EXPECT_EQ(owners.grant(kC0, kW2).from, std::nullopt);
}

TEST(ChunkOwners, IfTheReceiverDiesTheHolderOwnsTheChunkAgainAtANewVersion) {
  ChunkOwners owners = owned_by_one();
  const Grant grant = owners.grant(kC0, kW2);
  owners.lose(kW2);
  EXPECT_EQ(owners.all()[0].state, Ownership::kOwned);
  EXPECT_EQ(owners.all()[0].owner, kW1);
  EXPECT_EQ(owners.all()[0].version, grant.version + 1);
  EXPECT_EQ(owners.confirm(grant), std::nullopt);  // The grant is older now.
  EXPECT_EQ(owners.all()[0].owner, kW1);
  EXPECT_EQ(owners.grant(kC0, kW3).from, kW1);  // It still has the state.
}

TEST(ChunkOwners, AConfirmationOfAnOlderGrantDoesNotEndALaterHandOver) {
  ChunkOwners owners = owned_by_one();
  const Grant older = owners.grant(kC0, kW2);
  owners.lose(kW2);
  (void)owners.grant(kC0, kW3);
  EXPECT_EQ(owners.confirm(older), std::nullopt);
  EXPECT_EQ(owners.all()[0].state, Ownership::kHanding);
}

TEST(ChunkOwners, IfTheHolderDiesTheGrantStandsWithoutState) {
  ChunkOwners owners = owned_by_one();
  const Grant grant = owners.grant(kC0, kW2);
  owners.lose(kW1);
  EXPECT_EQ(owners.all()[0].state, Ownership::kHanding);
  EXPECT_FALSE(owners.has_any(kW1));
  EXPECT_EQ(owners.confirm(grant), std::nullopt);
  EXPECT_EQ(owners.all()[0].owner, kW2);
}

TEST(ChunkOwners, ASecondConfirmationIsIgnored) {
  ChunkOwners owners = owned_by_one();
  const Grant grant = owners.grant(kC0, kW2);
  EXPECT_EQ(owners.confirm(grant), kW1);
  EXPECT_EQ(owners.confirm(grant), std::nullopt);
  EXPECT_EQ(owners.all()[0].owner, kW2);
}

TEST(ChunkOwners, AnOwnedChunkIsAtItsOwnerAndAnOrphanWhereItsSamplesAre) {
  ChunkOwners owners(1);
  EXPECT_EQ(owners.place_of(kC0), std::nullopt);
  owners.has_samples(kW1, kC0);
  owners.has_samples(kW2, kC0);
  EXPECT_EQ(owners.place_of(kC0), kW2);
  owners.confirm(owners.grant(kC0, kW3));
  EXPECT_EQ(owners.place_of(kC0), kW3);
  owners.lose(kW3);
  EXPECT_EQ(owners.place_of(kC0), std::nullopt);  // The grant removed the record of the samples.
}

TEST(ChunkOwnersDeathTest, AChunkIsNotGrantedTwiceAtATime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ChunkOwners owners = owned_by_one();
  (void)owners.grant(kC0, kW2);
  EXPECT_DEATH((void)owners.grant(kC0, kW3), "kHanding");
}

}  // namespace chunk_owners_test
}  // namespace surety::elastic
