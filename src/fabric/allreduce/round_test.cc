#include "fabric/allreduce/round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"
#include "test/support/fabric/transport/memory_transport.h"

namespace surety::fabric {
namespace round_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Workers 0 to count-1. Each has its own connection to each other worker.
class Cluster {
 public:
  explicit Cluster(std::uint32_t count, const MemoryNetworkOptions& options = {},
                   const RoundsOptions& rounds_options = {})
      : network(options) {
    for (std::uint32_t w = 0; w < count; ++w) {
      transports.push_back(network.make());
      rounds.push_back(std::make_unique<Rounds>(*transports[w], WorkerId{w}, rounds_options));
      members.push_back(WorkerId{w});
      values.push_back({1.0f * static_cast<float>(w + 1), 10.0f * static_cast<float>(w + 1),
                        100.0f * static_cast<float>(w + 1)});
    }
    peers.resize(count);
    for (std::uint32_t w = 0; w < count; ++w) {
      for (std::uint32_t other = 0; other < count; ++other) {
        if (other != w) peers[w][WorkerId{other}] = *transports[w]->connect(address(other));
      }
    }
  }
  std::string address(std::uint32_t w) const { return transports[w]->address(); }

  Result<void> begin(std::uint32_t w, std::uint64_t round) {
    return rounds[w]->begin(
        round,
        std::make_shared<RoundExecutor>(all_reduce(members, 3), WorkerId{w},
                                        std::vector<float>(members.size(), 1.0f), values[w]),
        peers[w]);
  }
  Result<bool> advance(std::uint32_t w) { return rounds[w]->advance(Duration::zero()); }

  // Advances all living workers in turn until all are done or `turns` turns are over.
  bool finish(int turns = 1000) {
    for (bool all = false; turns > 0; --turns) {
      all = true;
      for (std::uint32_t w = 0; w < rounds.size(); ++w) all = advance(w).value_or(false) && all;
      if (all) return true;
    }
    return false;
  }

  MemoryNetwork network;
  std::vector<std::unique_ptr<MemoryTransport>> transports;
  std::vector<std::unique_ptr<Rounds>> rounds;
  std::vector<WorkerId> members;
  std::vector<std::map<WorkerId, PeerId>> peers;
  std::vector<std::vector<float>> values;
};

TEST(Rounds, AllEndWithTheSum) {
  Cluster cluster(3);
  for (std::uint32_t w = 0; w < 3; ++w) ASSERT_TRUE(cluster.begin(w, 1));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(6, 60, 600));
}

TEST(Rounds, MessagesOfALaterRoundWaitUntilItBegins) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  EXPECT_FALSE(*cluster.advance(0));
  // Worker 1 is in no round yet when the message arrives. The message is sent only once.
  EXPECT_TRUE(*cluster.advance(1));
  ASSERT_TRUE(cluster.begin(1, 5));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(3, 30, 300));
}

// Room for one early message of a few bytes, but not for two.
constexpr RoundsOptions kRoomForOne{.early_bytes_max = 2 * Mailbox::kOverhead};

TEST(Rounds, AnEarlyMessageNeedsRoomOnlyUntilItsRoundBegins) {
  Cluster cluster(2, {}, kRoomForOne);
  for (std::uint64_t round = 5; round < 8; ++round) {
    ASSERT_TRUE(cluster.begin(0, round));
    EXPECT_FALSE(*cluster.advance(0));
    EXPECT_TRUE(*cluster.advance(1));  // The message is early.
    ASSERT_TRUE(cluster.begin(1, round));
    ASSERT_TRUE(cluster.finish());
  }
  EXPECT_THAT(cluster.rounds[1]->take_lost(), IsEmpty());
}

TEST(Rounds, MessagesOfARoundLeftAreDropped) {
  Cluster cluster(2, {}, kRoomForOne);
  ASSERT_TRUE(cluster.begin(0, 5));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
  ASSERT_TRUE(cluster.begin(1, 6));  // Beginning round 6 drops what was kept for round 5.
  EXPECT_THAT(cluster.rounds[1]->ask(), ElementsAre(WorkerId{0}));
  // Worker 0 abandons round 5, with its values unchanged, and joins round 6.
  ASSERT_TRUE(cluster.begin(0, 6));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(3, 30, 300));
  ASSERT_TRUE(cluster.begin(0, 7));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
  EXPECT_THAT(cluster.rounds[1]->take_lost(), IsEmpty());  // There is room for an early one again.
}

// ---- messages that were lost although the connection is intact ----------------------------------

TEST(Rounds, WhoHasNotBegunIsWaitedForHoweverOftenItIsAsked) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(cluster.rounds[0]->ask(), ElementsAre(WorkerId{1}));
    EXPECT_TRUE(*cluster.advance(1));
    EXPECT_EQ(cluster.advance(0), false);
  }
  ASSERT_TRUE(cluster.begin(1, 5));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(3, 30, 300));
}

// Worker 0 missed the order of a round, so the message that worker 1 sent it for this round was
// dropped.
TEST(Rounds, ADroppedMessageIsDetectedWhenItsSenderIsAsked) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 4));
  ASSERT_TRUE(cluster.begin(1, 4));
  ASSERT_TRUE(cluster.finish());
  ASSERT_TRUE(cluster.begin(1, 5));
  EXPECT_EQ(cluster.advance(1), false);
  EXPECT_EQ(cluster.advance(0), true);
  ASSERT_TRUE(cluster.begin(0, 6));  // Drops the message of round 5.
  cluster.rounds[0]->abandon();
  Rounds again(*cluster.transports[0], WorkerId{0});
  std::vector<float> values{1, 10, 100};
  ASSERT_TRUE(
      again.begin(5,
                  std::make_shared<RoundExecutor>(all_reduce(cluster.members, 3), WorkerId{0},
                                                  std::vector<float>{1, 1}, values),
                  cluster.peers[0]));
  EXPECT_EQ(again.advance(Duration::zero()), false);
  EXPECT_EQ(cluster.advance(1), false);
  EXPECT_THAT(again.ask(), ElementsAre(WorkerId{1}));
  EXPECT_EQ(cluster.advance(1), false);
  const Result<bool> ended = again.advance(Duration::zero());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(ended.error().message, HasSubstr("worker 1 has sent 2 messages, but 1 have arrived"));
  EXPECT_FALSE(again.active());
  EXPECT_THAT(values, ElementsAre(1, 10, 100));
}

TEST(Rounds, WhoHasLeftTheRoundIsNotWaitedFor) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  ASSERT_TRUE(cluster.begin(1, 6));
  EXPECT_EQ(cluster.advance(0), false);
  EXPECT_THAT(cluster.rounds[0]->ask(), ElementsAre(WorkerId{1}));
  EXPECT_EQ(cluster.advance(1), false);
  const Result<bool> ended = cluster.advance(0);
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("worker 1 has left the round"));
}

TEST(Rounds, AnAnswerThatCannotBeReadChangesNothing) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  const std::vector<std::byte> bytes(4);
  for (const std::uint32_t step : {1u, 2u}) {
    ASSERT_TRUE(cluster.transports[1]->send(
        cluster.peers[1][WorkerId{0}], inquiry_tag(5, 1, static_cast<InquiryStep>(step)), bytes));
  }
  EXPECT_EQ(cluster.advance(0), false);
  EXPECT_TRUE(cluster.rounds[0]->active());
}

TEST(Rounds, IdsMustGrow) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  const Result<void> again = cluster.begin(0, 5);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(again.error().message, "found round 5, expected one after 5");
  EXPECT_FALSE(cluster.rounds[0]->active());
}

TEST(Rounds, AnIdThatWouldLookLikeAnInquiryIsRefused) {
  Cluster cluster(2);
  const Result<void> begun = cluster.begin(0, 1ull << 62);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(begun.error().message,
            "found round 4611686018427387904, expected a number below 4611686018427387904");
  EXPECT_FALSE(cluster.rounds[0]->active());
}

// Two coordinators: the second one gives new ids and higher round numbers.
TEST(Rounds, AfterARestartNothingOfTheTimeBeforeIsInTheSum) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
  for (std::uint32_t w = 0; w < 2; ++w) {
    cluster.rounds[w]->restart(WorkerId{w});
    EXPECT_EQ(cluster.rounds[w]->sends().size(), 0u);
  }
  for (std::uint32_t w = 0; w < 2; ++w) {
    const WorkerId other{1 - w};
    cluster.transports[w]->disconnect(cluster.peers[w][other]);
    cluster.peers[w][other] = *cluster.transports[w]->connect(cluster.address(1 - w));
  }
  ASSERT_TRUE(cluster.begin(0, 1'000));
  ASSERT_TRUE(cluster.begin(1, 1'000));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(3, 30, 300));
}

TEST(Rounds, AnotherRunCountsAnewAndFindsNothingOfTheLastOne) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 1'000));
  ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}],
                                           {.round = 1'001, .sender = 0, .step = 7},
                                           std::vector<std::byte>(3)));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
  for (std::uint32_t w = 0; w < 2; ++w) {
    cluster.rounds[w]->begin_run();
    cluster.rounds[w]->restart(WorkerId{w});
  }
  EXPECT_FALSE(cluster.rounds[1]->take_blob({.round = 1'001, .sender = 0, .step = 7}));
  for (std::uint32_t w = 0; w < 2; ++w) {
    const WorkerId other{1 - w};
    cluster.transports[w]->disconnect(cluster.peers[w][other]);
    cluster.peers[w][other] = *cluster.transports[w]->connect(cluster.address(1 - w));
  }
  ASSERT_TRUE(cluster.begin(0, 1));
  ASSERT_TRUE(cluster.begin(1, 1));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(3, 30, 300));
}

// Another worker may learn of the restart first and begin the next round before this one.
TEST(Rounds, WhatComesBeforeARestartForARoundAfterItIsKept) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 5));
  ASSERT_TRUE(cluster.begin(1, 5));
  ASSERT_TRUE(cluster.finish());
  ASSERT_TRUE(cluster.begin(0, 1'000));
  ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}],
                                           {.round = 1'000, .sender = 0, .step = 7},
                                           std::vector<std::byte>(3)));
  ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}],
                                           {.round = 4, .sender = 0, .step = 7},
                                           std::vector<std::byte>(3)));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
  cluster.rounds[1]->restart(WorkerId{1});
  EXPECT_FALSE(cluster.rounds[1]->take_blob({.round = 4, .sender = 0, .step = 7}));
  EXPECT_TRUE(cluster.rounds[1]->take_blob({.round = 1'000, .sender = 0, .step = 7}));
  ASSERT_TRUE(cluster.begin(1, 1'000));
  ASSERT_TRUE(cluster.finish());
  for (const auto& values : cluster.values) EXPECT_THAT(values, ElementsAre(6, 60, 600));
}

TEST(Rounds, LossOfAMemberEndsTheRoundNamesItAndLeavesTheValues) {
  Cluster cluster(3);
  ASSERT_TRUE(cluster.begin(0, 1));
  ASSERT_TRUE(cluster.begin(1, 1));
  cluster.network.cut(*cluster.transports[0], *cluster.transports[2], "a cable");
  const auto done = cluster.advance(0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(done.error().message, "round 1: worker 2: a cable");
  EXPECT_EQ(cluster.rounds[0]->blamed(), WorkerId{2});
  EXPECT_THAT(cluster.values[0], ElementsAre(1, 10, 100));
  EXPECT_EQ(cluster.rounds[0]->take_lost().at(0).worker, WorkerId{2});
  // A round with the lost member cannot begin; a round without it can.
  EXPECT_EQ(cluster.begin(0, 2).error().code, ErrorCode::kUnavailable);
  cluster.members.pop_back();
  ASSERT_TRUE(cluster.begin(0, 3));
  ASSERT_TRUE(cluster.begin(1, 3));
  ASSERT_TRUE(cluster.finish());
  EXPECT_THAT(cluster.values[0], ElementsAre(3, 30, 300));
}

TEST(Rounds, ARoundIsNotOverBeforeAllThatWeSendHasLeft) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 1));
  ASSERT_TRUE(cluster.begin(1, 1));
  EXPECT_FALSE(*cluster.advance(0));  // It contributes, sums and sends its result.
  // It has all messages, but its own result is still under way.
  EXPECT_FALSE(*cluster.advance(1));
  EXPECT_THAT(cluster.values[1], ElementsAre(3, 30, 300));
  EXPECT_TRUE(*cluster.advance(0));
  EXPECT_TRUE(*cluster.advance(1));
}

TEST(Rounds, LossAfterAllHasComeDoesNotMatter) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 1));
  ASSERT_TRUE(cluster.begin(1, 1));
  EXPECT_FALSE(*cluster.advance(0));
  EXPECT_FALSE(*cluster.advance(1));
  EXPECT_EQ(cluster.rounds[1]->sends().size(), 1u);
  cluster.network.cut(*cluster.transports[0], *cluster.transports[1], "a cable");
  EXPECT_TRUE(*cluster.advance(1));
  EXPECT_EQ(cluster.rounds[1]->sends().size(), 0u);
  EXPECT_THAT(cluster.values[1], ElementsAre(3, 30, 300));
  EXPECT_FALSE(cluster.advance(0));  // Worker 0 still waited for that result.
}

TEST(Rounds, LossOfAStrangerDoesNotMatter) {
  Cluster cluster(3);
  cluster.members.pop_back();
  ASSERT_TRUE(cluster.begin(0, 1));
  ASSERT_TRUE(cluster.begin(1, 1));
  cluster.network.cut(*cluster.transports[0], *cluster.transports[2], "a cable");
  ASSERT_TRUE(cluster.finish());
}

TEST(Rounds, NonsenseEndsTheRoundAndNamesTheSender) {
  Cluster cluster(2);
  cluster.values[1][0] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(cluster.begin(1, 1));
  ASSERT_TRUE(cluster.begin(0, 1));
  const auto done = cluster.advance(0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(done.error().message, HasSubstr("worker 1"));
}

TEST(Rounds, BuffersOfAnAbandonedRoundLiveUntilTheyHaveLeft) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 1));
  cluster.rounds[0]->abandon();
  cluster.values[0] = {};
  EXPECT_EQ(cluster.rounds[0]->sends().size(), 1u);
  // The message was copied from the abandoned executor's buffer.
  EXPECT_TRUE(*cluster.advance(1));
  EXPECT_TRUE(*cluster.advance(0));
  EXPECT_EQ(cluster.rounds[0]->sends().size(), 0u);
}

TEST(Rounds, ARefusedMessageChangesNothingAndTheRoundGoesOn) {
  Cluster cluster(2);
  ASSERT_TRUE(cluster.begin(0, 1));
  const std::vector<std::byte> odd(3);
  const PeerId peer = cluster.peers[1][WorkerId{0}];
  ASSERT_TRUE(cluster.transports[1]->send(peer, {.round = 1, .sender = 1, .step = 1}, odd));
  EXPECT_FALSE(*cluster.advance(0));
  ASSERT_TRUE(cluster.begin(1, 1));
  EXPECT_TRUE(cluster.finish());
}

TEST(Rounds, WhoeverSpeaksInAnothersNameIsCutOff) {
  Cluster cluster(3);
  ASSERT_TRUE(cluster.begin(0, 1));
  const PeerId peer = cluster.peers[1][WorkerId{0}];
  ASSERT_TRUE(cluster.transports[1]->send(peer, {.round = 9, .sender = 1}, {}));
  ASSERT_TRUE(cluster.transports[1]->send(peer, {.round = 9, .sender = 2}, {}));
  const auto done = cluster.advance(0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "round 1: worker 1: worker 1 sent in the name of worker 2");
}

TEST(Rounds, BlobsTravelBesideRoundsAndAreTakenOnce) {
  Cluster cluster(2, {}, {.early_bytes_max = 2000});  // Room for one of these blobs.
  const std::vector<std::byte> blob(1000, std::byte{7});
  const Tag tag{.round = 1, .sender = 0, .step = 4};
  ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}], tag, blob));
  EXPECT_EQ(cluster.rounds[1]->take_blob(tag), std::nullopt);
  ASSERT_TRUE(cluster.begin(0, 50));
  ASSERT_TRUE(cluster.begin(1, 50));
  ASSERT_TRUE(cluster.finish());
  EXPECT_EQ(cluster.rounds[1]->take_blob(tag), blob);
  EXPECT_EQ(cluster.rounds[1]->take_blob(tag), std::nullopt);
  ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}], tag, blob));
  EXPECT_TRUE(*cluster.advance(1));
  EXPECT_EQ(cluster.rounds[1]->take_blob(tag), blob);  // There was room for it again.
}

TEST(Rounds, OldBlobsCanBeDiscarded) {
  Cluster cluster(2, {}, {.early_bytes_max = 2 * (10 + Mailbox::kOverhead)});
  const auto send = [&](std::uint64_t round) {
    ASSERT_TRUE(cluster.rounds[0]->send_blob(cluster.peers[0][WorkerId{1}], {.round = round},
                                             std::vector<std::byte>(10)));
    EXPECT_TRUE(*cluster.advance(1));
  };
  send(3);
  send(4);
  cluster.rounds[1]->discard_blobs_before(4);
  EXPECT_FALSE(cluster.rounds[1]->take_blob({.round = 3}));
  send(5);  // There is room for two.
  EXPECT_TRUE(cluster.rounds[1]->take_blob({.round = 4}));
  EXPECT_TRUE(cluster.rounds[1]->take_blob({.round = 5}));
}

TEST(Rounds, WhoeverSendsTooMuchAheadIsCutOff) {
  Cluster cluster(2, {}, {.early_bytes_max = 100 + Mailbox::kOverhead});
  const PeerId peer = cluster.peers[0][WorkerId{1}];
  ASSERT_TRUE(cluster.rounds[0]->send_blob(peer, {.step = 1}, std::vector<std::byte>(60)));
  ASSERT_TRUE(cluster.rounds[0]->send_blob(peer, {.step = 2}, std::vector<std::byte>(41)));
  EXPECT_TRUE(*cluster.advance(1));
  EXPECT_THAT(cluster.rounds[1]->take_lost().at(0).reason,
              HasSubstr("bytes arrived before their round"));
  // The blob that had arrived before stays.
  EXPECT_TRUE(cluster.rounds[1]->take_blob({.step = 1}));
  EXPECT_TRUE(*cluster.advance(0));
  EXPECT_EQ(cluster.rounds[0]->sends().size(), 0u);
}

// Many rounds over a network that reorders, with workers that begin at any time: every round gives
// all workers the same sum. With cuts, a worker that finishes has the sum; one that does not has an
// error and its values as they were.
TEST(Rounds, HoldUnderAnyInterleaving) {
  int finished = 0;
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const bool cuts = seed % 2 == 0;
    const std::uint32_t count = static_cast<std::uint32_t>(2 + random.below(4));
    Cluster cluster(count, {.seed = seed, .reorder = true, .cut_probability = cuts ? 0.01 : 0.0});
    const auto before = cluster.values;
    std::vector<float> sum(3);
    for (const auto& values : before) {
      for (std::size_t i = 0; i < 3; ++i) sum[i] += values[i];
    }
    std::vector<std::uint64_t> round(count, 0);
    std::vector<bool> running(count, false);
    std::vector<bool> over(count, false);
    for (int step = 0; step < 20'000; ++step) {
      const std::uint32_t w = static_cast<std::uint32_t>(random.below(count));
      if (over[w]) continue;
      if (!running[w]) {
        cluster.values[w] = before[w];
        running[w] = true;
        over[w] = !cluster.begin(w, ++round[w]);
        EXPECT_TRUE(!over[w] || cluster.values[w] == before[w]);
        continue;
      }
      const auto done = cluster.advance(w);
      if (!done) {
        EXPECT_TRUE(cuts) << done.error().message;
        EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
        EXPECT_EQ(cluster.values[w], before[w]);
        over[w] = true;
        ++failed;
      } else if (*done) {
        EXPECT_EQ(cluster.values[w], sum);
        running[w] = false;
        over[w] = round[w] == 4;
        finished += over[w] ? 1 : 0;
      }
    }
    EXPECT_TRUE(cuts || over == std::vector<bool>(count, true)) << seed;
  }
  EXPECT_GT(finished, 200);
  EXPECT_GT(failed, 20);
}

}  // namespace round_test
}  // namespace surety::fabric
