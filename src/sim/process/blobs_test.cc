#include "sim/process/blobs.h"

#include <gtest/gtest.h>

#include <string>

namespace surety::sim {
namespace blobs_test {

constexpr fabric::Tag kTag{.round = 3, .sender = 1, .step = 0};

// Worker n is on machine n, with one byte per second between two machines. The tests check the
// blobs of worker 1. Blobs for worker 2 arrive as long as it runs.
struct World {
  EventQueue queue;
  Network network{queue, {.latency_s = 0.1, .port_bytes_per_s = 1, .silence_s = 50}, Random(1), 4};
  Lifecycle life{queue};
  bool peer_runs = true;
  std::string events;
  std::vector<Blobs::Bytes> delivered;
  Blobs blobs{
      queue,
      network,
      life,
      1,
      {.find = [](WorkerId worker) -> Result<HostIndex> {
         if (worker.value < 4) return worker.value;
         return fail(ErrorCode::kUnavailable, "no such worker");
       },
       .deliver =
           [this](WorkerId, const fabric::Tag&, const Blobs::Bytes& bytes) {
             if (peer_runs) delivered.push_back(bytes);
             return peer_runs;
           }},
      {.on_blob = [this] { events += "came "; },
       .on_sent = [this](const fabric::Tag&,
                         WorkerId to) { events += "sent to " + std::to_string(to.value) + " "; },
       .on_lost = [this](const fabric::Tag&,
                         WorkerId to) { events += "lost " + std::to_string(to.value) + " "; }}};
  void run() {
    while (queue.run_next()) {
    }
  }
};

TEST(Blobs, ABlobArrivesAsAWholeWhenAllItsBytesHavePassed) {
  World world;
  ASSERT_TRUE(world.blobs.send(WorkerId{2}, kTag, Blobs::Bytes(10), 26));
  world.queue.at(99, [&] { EXPECT_TRUE(world.delivered.empty()); });
  world.run();
  EXPECT_EQ(world.delivered, std::vector<Blobs::Bytes>{Blobs::Bytes(10)});
  EXPECT_EQ(world.events, "sent to 2 ");
  EXPECT_NEAR(world.queue.now_s(), 100.1, 1e-6);  // With a header of 64 bytes, and the latency.
}

TEST(Blobs, ATransferOnOneMachineTakesALatency) {
  World world;
  ASSERT_TRUE(world.blobs.send(WorkerId{1}, kTag, Blobs::Bytes(10), 1000));
  world.run();
  EXPECT_EQ(world.events, "sent to 1 ");
  EXPECT_DOUBLE_EQ(world.queue.now_s(), 0.1);
}

TEST(Blobs, ABlobIsLostIfItsRecipientEndsOrIsCutOff) {
  World world;
  EXPECT_EQ(world.blobs.send(WorkerId{9}, kTag, {}, 0).error().code, ErrorCode::kUnavailable);
  world.peer_runs = false;
  ASSERT_TRUE(world.blobs.send(WorkerId{2}, kTag, {}, 0));
  world.run();
  EXPECT_EQ(world.events, "lost 2 ");
  world.network.cut(1, 3);
  ASSERT_TRUE(world.blobs.send(WorkerId{3}, kTag, {}, 0));
  world.run();
  EXPECT_EQ(world.events, "lost 2 lost 3 ");
  EXPECT_TRUE(world.delivered.empty());
}

TEST(Blobs, ABlobIsTakenOnce) {
  World world;
  world.blobs.arrive(kTag, Blobs::Bytes(5));
  EXPECT_EQ(world.events, "came ");
  EXPECT_EQ(world.blobs.take(kTag), Blobs::Bytes(5));
  EXPECT_EQ(world.blobs.take(kTag), std::nullopt);
}

TEST(Blobs, DiscardedBlobsAreRemovedAndLaterBlobsAreKept) {
  World world;
  const fabric::Tag later{.round = 4, .sender = 1, .step = 0};
  world.blobs.arrive(kTag, Blobs::Bytes(5));
  world.blobs.arrive(later, Blobs::Bytes(6));
  world.blobs.discard_before(4);
  EXPECT_EQ(world.blobs.take(kTag), std::nullopt);
  EXPECT_EQ(world.blobs.take(later), Blobs::Bytes(6));
}

TEST(Blobs, AProcessThatIsStalledHasABlobAfterTheStall) {
  World world;
  world.life.stall_until(3);
  world.blobs.arrive(kTag, Blobs::Bytes(5));
  EXPECT_EQ(world.blobs.take(kTag), std::nullopt);
  world.run();
  EXPECT_EQ(world.events, "came ");
  EXPECT_EQ(world.blobs.take(kTag), Blobs::Bytes(5));
}

}  // namespace blobs_test
}  // namespace surety::sim
