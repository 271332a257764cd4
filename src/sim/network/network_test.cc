#include "sim/network/network.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace network_test {

struct World {
  EventQueue queue;
  Network network{queue, {.latency_s = 0.1, .port_bytes_per_s = 100, .silence_s = 5}, Random(1), 5};
  void run() {
    while (queue.run_next()) {
    }
  }
};

TEST(SimNetwork, MessagesArriveInOrderAfterTheLatency) {
  World world;
  std::vector<std::pair<int, double>> arrivals;
  for (const int i : {1, 2}) {
    world.network.send(7, 1, 0, [&, i] { arrivals.emplace_back(i, world.queue.now_s()); });
  }
  world.run();
  ASSERT_EQ(arrivals.size(), 2u);
  EXPECT_EQ(arrivals[0].first, 1);
  EXPECT_DOUBLE_EQ(arrivals[1].second, 0.1);
}

TEST(SimNetwork, ALossDelaysWhatComesAfterItToo) {
  World world;
  world.network.conditions().loss = 0.999;
  double first_s = 0;
  double second_s = 0;
  world.network.send(7, 1, 0, [&] { first_s = world.queue.now_s(); });
  world.network.conditions().loss = 0;
  world.network.send(7, 1, 0, [&] { second_s = world.queue.now_s(); });
  world.run();
  EXPECT_GT(first_s, 0.3);
  EXPECT_GE(second_s, first_s);
}

TEST(SimNetwork, ACutHoldsMessagesUntilItHeals) {
  World world;
  double arrival_s = 0;
  world.network.cut(1, 0);
  world.network.send(7, 1, 0, [&] { arrival_s = world.queue.now_s(); });
  world.queue.at(10, [&] { world.network.heal(1, 0); });
  world.run();
  EXPECT_GT(arrival_s, 10);
  EXPECT_LT(arrival_s, 11);
}

TEST(SimNetwork, WithoutAcknowledgementsTenMessagesArriveAndThenNone) {
  World world;
  int arrivals = 0;
  world.network.cut(0, 1);
  for (int i = 0; i < 15; ++i) world.network.send(7, 1, 0, [&] { ++arrivals; });
  world.run();
  EXPECT_EQ(arrivals, 10);
  world.network.heal(0, 1);
  world.run();
  EXPECT_EQ(arrivals, 15);
}

TEST(SimNetwork, AClosedConnectionDeliversNothingAnyMore) {
  World world;
  int arrivals = 0;
  world.network.send(7, 1, 0, [&] { ++arrivals; });
  world.network.close(7);
  world.run();
  EXPECT_EQ(arrivals, 0);
}

// Two transfers of 100 bytes into a port of 100 bytes per second share it: 2 s each, plus latency.
TEST(SimNetwork, TransfersShareAPortFairly) {
  World world;
  std::vector<double> done_s;
  for (const HostIndex sender : {1u, 2u}) {
    world.network.start({.senders = {sender}, .receivers = {3}, .bytes = 100},
                        [&](bool there) { done_s.push_back(there ? world.queue.now_s() : -1); });
  }
  world.run();
  ASSERT_EQ(done_s.size(), 2u);
  EXPECT_NEAR(done_s[0], 2.1, 1e-6);
  EXPECT_NEAR(done_s[1], 2.1, 1e-6);
}

TEST(SimNetwork, AShaperLetsABurstPassAtTheLinesRateAndTheRestAtThePorts) {
  EventQueue queue;
  Network network(queue,
                  {.latency_s = 0,
                   .port_bytes_per_s = 100,
                   .shaper = Shaper{.burst_bytes = 900, .line_bytes_per_s = 1000}},
                  Random(1), 2);
  double end_s = 0;
  network.start({.senders = {0}, .receivers = {1}, .bytes = 2000},
                [&](bool) { end_s = queue.now_s(); });
  while (queue.run_next()) {
  }
  // The burst lasts 900 / (1000 - 100) seconds.
  EXPECT_NEAR(end_s, 1 + (2000 - 1000) / 100.0, 1e-6);
}

TEST(SimNetwork, ATransferOverACutStartsOverWhenItHealsInTimeAndBreaksElse) {
  World world;
  double healed_s = 0;
  double broken_s = 0;
  world.network.start({.senders = {1}, .receivers = {2}, .bytes = 100},
                      [&](bool there) { healed_s = there ? world.queue.now_s() : -1; });
  world.network.start({.senders = {3}, .receivers = {4}, .bytes = 100},
                      [&](bool there) { broken_s = there ? -1 : world.queue.now_s(); });
  world.queue.at(0.5, [&] {
    world.network.cut(2, 1);
    world.network.cut(3, 4);
  });
  world.queue.at(2.5, [&] { world.network.heal(2, 1); });
  world.run();
  EXPECT_NEAR(healed_s, 3.6, 1e-6);
  EXPECT_NEAR(broken_s, 5.5, 1e-6);
}

TEST(SimNetwork, ATransferThatIsStoppedIsNeverDone) {
  World world;
  bool done = false;
  const auto bulk = world.network.start({.senders = {1}, .receivers = {2}, .bytes = 100},
                                        [&](bool) { done = true; });
  world.network.stop(bulk);
  world.run();
  EXPECT_FALSE(done);
}

}  // namespace network_test
}  // namespace surety::sim
