#include "fabric/allreduce/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace peers_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Peers, AConnectionHasTheSenderThatItsFirstMessageNamed) {
  Peers peers;
  EXPECT_EQ(peers.name_sender(7, WorkerId{1}), WorkerId{1});
  EXPECT_EQ(peers.name_sender(7, WorkerId{2}), WorkerId{1});
  EXPECT_EQ(peers.worker_of(7), WorkerId{1});
  EXPECT_EQ(peers.name_sender(8, WorkerId{2}), WorkerId{2});
}

TEST(Peers, AMemberIsKnownBeforeItSendsAnything) {
  Peers peers;
  EXPECT_EQ(peers.worker_of(7), std::nullopt);
  peers.set_members({{WorkerId{3}, 7}});
  EXPECT_EQ(peers.peer_of(WorkerId{3}), 7u);
  EXPECT_EQ(peers.worker_of(7), WorkerId{3});
  peers.set_members({{WorkerId{4}, 8}});
  EXPECT_EQ(peers.peer_of(WorkerId{3}), std::nullopt);
  EXPECT_EQ(peers.worker_of(7), std::nullopt);
}

TEST(Peers, AConnectionIsLostOnceAndItsWorkerIsTold) {
  Peers peers;
  peers.set_members({{WorkerId{3}, 7}});
  peers.name_sender(8, WorkerId{4});
  const auto member = peers.lose({7, "it is gone"});
  ASSERT_TRUE(member);
  EXPECT_EQ(member->worker, WorkerId{3});
  EXPECT_EQ(member->reason, "it is gone");
  EXPECT_EQ(peers.lose({8, "gone, too"})->worker, WorkerId{4});
  EXPECT_EQ(peers.lose({9, "unknown"})->worker, std::nullopt);
  EXPECT_FALSE(peers.lose({7, "again"}));
  ASSERT_NE(peers.loss_of(7), nullptr);
  EXPECT_EQ(*peers.loss_of(7), "it is gone");
  EXPECT_EQ(peers.loss_of(6), nullptr);
  EXPECT_THAT(peers.take_lost(), SizeIs(3));
  EXPECT_THAT(peers.take_lost(), IsEmpty());
}

TEST(Peers, AfterAResetOnlyLossesAreKnown) {
  Peers peers;
  peers.set_members({{WorkerId{3}, 7}});
  peers.name_sender(8, WorkerId{4});
  ASSERT_TRUE(peers.lose({9, "gone"}));
  peers.reset();
  EXPECT_EQ(peers.peer_of(WorkerId{3}), std::nullopt);
  EXPECT_EQ(peers.worker_of(8), std::nullopt);
  EXPECT_THAT(peers.take_lost(), IsEmpty());
  EXPECT_NE(peers.loss_of(9), nullptr);
}

}  // namespace peers_test
}  // namespace surety::fabric
