#include "sim/world/connections.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace surety::sim {
namespace connections_test {

// Process n is on machine n. The messages and events of each side are recorded.
struct World {
  EventQueue queue;
  Network network{queue, {.latency_s = 0.1}, Random(1), 5};
  Trace trace{queue};
  Random random{1};
  std::set<std::uint32_t> ended;
  std::vector<std::string> heard;  // Messages and events at the coordinator.
  std::vector<std::string> got;    // Messages and events at processes.
  Connections connections{
      queue,
      network,
      trace,
      random,
      {.host = [](std::uint32_t process) { return process; },
       .runs = [this](std::uint32_t process) { return !ended.contains(process); },
       .admitted =
           [this](std::uint32_t process, WorkerId worker) {
             got.push_back(fmt::format("{} is worker {}", process, worker));
           },
       .receive =
           [this](std::uint32_t process, std::uint64_t, const proto::ToWorker& message) {
             got.push_back(fmt::format("{} gets {}", process, message.sequence()));
           },
       .end = [this](std::uint32_t process,
                     std::uint64_t) { got.push_back(fmt::format("{} is cut off", process)); }},
      {.called = [this](std::uint64_t, std::uint32_t process,
                        const proto::Hello&) { heard.push_back(fmt::format("call {}", process)); },
       .received =
           [this](WorkerId worker, const proto::FromWorker& message) {
             heard.push_back(fmt::format("{} says {}", worker, message.sequence()));
           },
       .lost =
           [this](WorkerId worker, const std::string& why) {
             heard.push_back(fmt::format("{}: {}", worker, why));
           }}};

  void run() {
    while (queue.run_next()) {
    }
  }
  // A coordinator runs, and process 1 is its worker 7.
  std::uint64_t join() {
    connections.begin();
    const std::uint64_t connection = connections.connect(1, {}).value();
    run();
    connections.admit(connection, WorkerId{7});
    heard.clear();
    got.clear();
    return connection;
  }
};

proto::FromWorker answer(std::uint64_t sequence) {
  proto::FromWorker message;
  message.set_sequence(sequence);
  return message;
}

proto::ToWorker command(std::uint64_t sequence) {
  proto::ToWorker message;
  message.set_sequence(sequence);
  return message;
}

using Lines = std::vector<std::string>;

TEST(Connections, ACallIsAnsweredOnlyIfACoordinatorRunsAndBothDirectionsAreOpen) {
  World world;
  EXPECT_EQ(world.connections.connect(1, {}), std::nullopt);
  world.connections.begin();
  for (const auto& [from, to] : {std::pair(0u, 1u), std::pair(1u, 0u)}) {
    world.network.cut(from, to);
    EXPECT_EQ(world.connections.connect(1, {}), std::nullopt);
    world.network.heal(from, to);
  }
  EXPECT_NE(world.connections.connect(1, {}), std::nullopt);
  world.connections.end();
  EXPECT_EQ(world.connections.connect(1, {}), std::nullopt);
}

TEST(Connections, MessagesOfAProcessAreReceivedOnlyAfterItsAdmission) {
  World world;
  world.connections.begin();
  const std::uint64_t connection = world.connections.connect(1, {}).value();
  world.run();
  world.connections.receive(connection, answer(1));
  world.connections.admit(connection, WorkerId{7});
  world.connections.receive(connection, answer(2));
  EXPECT_EQ(world.heard, (Lines{"call 1", "7 says 2"}));
  EXPECT_EQ(world.got, Lines{"1 is worker 7"});
}

TEST(Connections, ACommandReachesTheProcessAfterTheLatency) {
  World world;
  world.join();
  const double sent_s = world.queue.now_s();
  world.connections.send(WorkerId{7}, command(3));
  world.run();
  EXPECT_EQ(world.got, Lines{"1 gets 3"});
  EXPECT_DOUBLE_EQ(world.queue.now_s(), sent_s + 0.1);
}

TEST(Connections, ACoordinatorThatEndsClosesItsConnectionsAndReceivesNothingMore) {
  World world;
  const std::uint64_t connection = world.join();
  world.connections.end();
  world.run();
  EXPECT_EQ(world.got, Lines{"1 is cut off"});
  world.connections.begin();
  world.connections.receive(connection, answer(1));
  world.connections.on_closed(connection, "too late");
  world.connections.send(WorkerId{7}, command(1));
  world.run();
  EXPECT_TRUE(world.heard.empty());
  EXPECT_EQ(world.got.size(), 1u);
}

TEST(Connections, ACallUnderWayWhenTheCoordinatorEndsIsLost) {
  World world;
  world.connections.begin();
  ASSERT_NE(world.connections.connect(1, {}), std::nullopt);
  world.connections.end();
  world.connections.begin();
  world.run();
  EXPECT_TRUE(world.heard.empty());
}

TEST(Connections, AWorkerIsLostOnceAndEachCallIsANewConnection) {
  World world;
  const std::uint64_t connection = world.join();
  world.connections.hang_up(connection);
  world.connections.on_closed(connection, "the connection is closed");
  world.run();
  EXPECT_EQ(world.heard, Lines{"7: the connection is closed"});
  EXPECT_GT(world.connections.connect(1, {}).value(), connection);
}

TEST(Connections, AProcessThatHasEndedGetsNothing) {
  World world;
  world.join();
  world.ended = {1};
  world.connections.send(WorkerId{7}, command(1));
  world.connections.close(WorkerId{7});
  world.run();
  EXPECT_TRUE(world.got.empty());
}

TEST(Connections, TheProcessNoticesABrokenConnectionAtOnceAndTheCoordinatorLater) {
  World world;
  const std::uint64_t connection = world.join();
  const double broken_s = world.queue.now_s();
  world.connections.break_off(1, connection);
  EXPECT_EQ(world.got, Lines{"1 is cut off"});
  EXPECT_TRUE(world.heard.empty());
  world.run();
  EXPECT_EQ(world.heard, Lines{"7: the connection is broken"});
  EXPECT_LE(world.queue.now_s(), broken_s + 0.2);
}

TEST(Connections, AnAnswerMayComeTwiceButNotToTheNextCoordinator) {
  World world;
  world.network.conditions().doubled = 1;
  const std::uint64_t connection = world.join();
  world.connections.receive(connection, answer(1));
  world.run();
  EXPECT_EQ(world.heard, (Lines{"7 says 1", "7 says 1"}));
  world.connections.receive(connection, answer(2));
  world.connections.end();
  world.connections.begin();
  world.run();
  EXPECT_EQ(world.heard.size(), 3u);
}

TEST(Connections, AWorkerThatLeavesReportsThisOnce) {
  World world;
  world.network.conditions().doubled = 1;
  const std::uint64_t connection = world.join();
  proto::FromWorker leaving;
  leaving.mutable_leaving();
  world.connections.receive(connection, leaving);
  world.run();
  EXPECT_EQ(world.heard.size(), 1u);
}

}  // namespace connections_test
}  // namespace surety::sim
