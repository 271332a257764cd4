// Lists of hosts, and which node of an allocation gets the next worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/slurm/slurm_allocation.h"
#include "orchestrator/slurm/slurm_hosts.h"

namespace surety::orchestrator {
namespace slurm_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SlurmHosts, ListsAreExpandedInOrderAndWithTheirWidth) {
  EXPECT_THAT(expand_hosts("").value(), IsEmpty());
  EXPECT_THAT(expand_hosts("a").value(), ElementsAre("a"));
  EXPECT_THAT(expand_hosts("w[1-3,7],login").value(), ElementsAre("w1", "w2", "w3", "w7", "login"));
  EXPECT_THAT(expand_hosts("n[008-010]x").value(), ElementsAre("n008x", "n009x", "n010x"));
  EXPECT_THAT(expand_hosts("r[1-2]n[1-2]").value(), ElementsAre("r1n1", "r1n2", "r2n1", "r2n2"));
}

TEST(SlurmHosts, WhatIsNoListIsRefused) {
  for (const char* list : {"w[1-", "w[]", "w[3-1]", "w[a]", "w[1-2-3]", ",a", "a,", "a,,b", "a]",
                           "a b", "w[0-65536]", "w[0-9999][0-9999]", "w[1234567890]"}) {
    const auto hosts = expand_hosts(list);
    ASSERT_FALSE(hosts) << list;
    EXPECT_THAT(hosts.error().message, HasSubstr("expected")) << list;
  }
}

TEST(SlurmAllocation, EachNodeGetsOneWorker) {
  SlurmAllocation allocation({"w2", "w1"});
  EXPECT_EQ(allocation.free(), "w1");
  allocation.on_started("w1");
  EXPECT_EQ(allocation.free(), "w2");
  allocation.on_started("w2");
  EXPECT_EQ(allocation.free(), std::nullopt);
  EXPECT_EQ(allocation.usable(), 2u);
}

TEST(SlurmAllocation, ANodeWhoseWorkersEndedIsTriedLast) {
  SlurmAllocation allocation({"w1", "w2"});
  allocation.on_started("w1");
  allocation.on_ended("w1");
  EXPECT_EQ(allocation.free(), "w2");
  allocation.on_started("w2");
  EXPECT_EQ(allocation.free(), "w1");
}

TEST(SlurmAllocation, ANodeOnNoticeGetsNoWorkerUntilItComesBack) {
  SlurmAllocation allocation({"w1", "w2"});
  allocation.on_started("w1");
  allocation.on_notice("w1");
  EXPECT_EQ(allocation.usable(), 1u);
  allocation.on_ended("w1");
  EXPECT_EQ(allocation.free(), "w2");
  EXPECT_FALSE(allocation.update({"w1", "w2"}));
  EXPECT_EQ(allocation.usable(), 1u);
  EXPECT_FALSE(allocation.update({"w2"}));  // The node was on notice, so usable() is unchanged.
  EXPECT_TRUE(allocation.update({"w1", "w2"}));
  EXPECT_EQ(allocation.free(), "w1");
}

TEST(SlurmAllocation, GrowsAndShrinks) {
  SlurmAllocation allocation({"w1"});
  allocation.on_started("w1");
  EXPECT_TRUE(allocation.update({"w1", "w2", "w3"}));
  EXPECT_EQ(allocation.usable(), 3u);
  EXPECT_EQ(allocation.free(), "w2");
  EXPECT_TRUE(allocation.update({"w3"}));
  allocation.on_ended("w1");
  EXPECT_EQ(allocation.usable(), 1u);
  EXPECT_EQ(allocation.free(), "w3");
}

TEST(SlurmAllocation, ANodeThatComesBackWaitsForTheEndOfItsOldWorker) {
  SlurmAllocation allocation({"w1"});
  allocation.on_started("w1");
  allocation.on_notice("w1");
  EXPECT_FALSE(allocation.update({}));
  EXPECT_TRUE(allocation.update({"w1"}));
  EXPECT_EQ(allocation.usable(), 1u);
  EXPECT_EQ(allocation.free(), std::nullopt);
  allocation.on_ended("w1");
  EXPECT_EQ(allocation.free(), "w1");
}

TEST(SlurmAllocation, AWorkersBadEndEndsNoOther) {
  EXPECT_THAT(srun_command("7", "w1"),
              ::testing::IsSupersetOf({"--jobid=7", "--nodelist=w1", "--kill-on-bad-exit=0"}));
}

}  // namespace slurm_test
}  // namespace surety::orchestrator
