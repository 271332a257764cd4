#include "sim/process/coordinator_link.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace surety::sim {
namespace coordinator_link_test {

SimOptions waits_10s() {
  SimOptions options;
  options.config.job.cluster.wait_s = 10;
  options.node = {.heartbeat_s = 1, .leave_patience_s = 4, .keepalive_s = 5};
  return options;
}

// Process 1 on machine 1, and a coordinator that admits it as workers 7, 8, ... The messages to the
// process, and its end, are recorded.
struct World {
  const SimOptions options = waits_10s();
  const ProcessStart start{.number = 1, .host = 1, .type = "local", .joined_by_itself = true};
  EventQueue queue;
  Network network{queue, {.latency_s = 0.01}, Random(1), 3};
  Trace trace{queue};
  Random random{1};
  Lifecycle life{queue};
  Returns returns{{.wait_s = 10, .local = 1}};
  std::string events;
  std::uint32_t last_worker = 6;
  std::uint32_t term = 1;
  int heartbeats = 0;
  std::unique_ptr<CoordinatorLink> link;
  Connections connections{
      queue,
      network,
      trace,
      random,
      {.host = [](std::uint32_t) { return 1u; },
       .runs = [this](std::uint32_t) { return life.runs(); },
       .admitted = [](std::uint32_t, WorkerId) {},
       .receive = [this](std::uint32_t, std::uint64_t connection,
                         const proto::ToWorker& message) { link->receive(connection, message); },
       .end = [this](std::uint32_t, std::uint64_t connection) { link->on_ended(connection); }},
      {.called = [this](std::uint64_t connection, std::uint32_t,
                        const proto::Hello& hello) { admit(connection, hello); },
       .received =
           [this](WorkerId, const proto::FromWorker& message) {
             heartbeats += message.has_heartbeat() ? 1 : 0;
             if (message.has_leaving()) events += "leaves ";
           },
       .lost = [this](WorkerId worker,
                      const std::string&) { events += fmt::format("lost {} ", worker); }}};

  World() {
    link = std::make_unique<CoordinatorLink>(
        start, options, queue, network, connections, returns, life,
        CoordinatorLink::Owner{
            .chunks = [] { return std::vector<ChunkId>{ChunkId{4}}; },
            .on_welcome =
                [this](const proto::Welcome& welcome, bool, std::optional<WorkerId> before) {
                  events += fmt::format("{} ", welcome.worker());
                  if (before) events += fmt::format("after {} ", *before);
                },
            .on_command =
                [this](const proto::ToWorker& message) {
                  events += fmt::format("command {} ", message.sequence());
                },
            .on_lost = [this] { events += "alone "; },
            .end =
                [this](const std::string& how) {
                  events += how;
                  static_cast<void>(life.end(false));
                }});
  }
  void admit(std::uint64_t connection, const proto::Hello& hello) {
    EXPECT_EQ(hello.host(), "node-1");
    EXPECT_EQ(hello.chunks_size(), 1);
    connections.admit(connection, WorkerId{++last_worker});
    proto::ToWorker message;
    proto::Welcome& welcome = *message.mutable_welcome();
    welcome.set_worker(last_worker);
    welcome.set_run("run");
    welcome.set_term(term);
    connections.send(WorkerId{last_worker}, message);
  }
  void run_until(double time_s) {
    queue.at(time_s, [] {});
    while (queue.now_s() < time_s && queue.run_next()) {
    }
  }
  void join() {
    connections.begin();
    link->call();
    run_until(0.5);
    EXPECT_EQ(events, "7 ");
    events.clear();
  }
};

TEST(CoordinatorLink, AnAdmittedProcessSendsHeartbeatsUnlessItIsStalled) {
  World world;
  world.join();
  EXPECT_EQ(world.link->worker(), WorkerId{7});
  world.heartbeats = 0;
  world.life.stall_until(4.5);
  world.run_until(4.5);
  EXPECT_EQ(world.heartbeats, 0);
  world.run_until(8.5);
  EXPECT_EQ(world.heartbeats, 4);
}

TEST(CoordinatorLink, AProcessThatLosesItsConnectionCallsAgainAndGetsAnotherId) {
  World world;
  world.join();
  world.connections.close(WorkerId{7});
  world.run_until(2);
  EXPECT_EQ(world.events, "alone 8 after 7 ");
  EXPECT_EQ(world.returns.violation(), std::nullopt);
}

TEST(CoordinatorLink, MessagesOverAnOldConnectionAreIgnored) {
  World world;
  world.join();
  const std::uint64_t old = world.link->connection().value();
  world.connections.close(WorkerId{7});
  world.run_until(2);
  world.events.clear();
  proto::ToWorker message;
  message.set_sequence(1);
  world.link->receive(old, message);
  world.link->on_ended(old);
  EXPECT_EQ(world.events, "");
  world.link->receive(world.link->connection().value(), message);
  EXPECT_EQ(world.events, "command 1 ");
}

TEST(CoordinatorLink, AProcessWithoutACoordinatorEndsAfterItsWaitingTime) {
  World world;
  world.join();
  world.connections.end();
  world.run_until(9);
  EXPECT_TRUE(world.life.runs());
  world.run_until(13);
  EXPECT_FALSE(world.life.runs());
  EXPECT_NE(world.events.find("exit code 4"), std::string::npos) << world.events;
  EXPECT_EQ(world.returns.violation(), std::nullopt);
}

TEST(CoordinatorLink, ACutIsNoticedAfterTheKeepaliveTimeInEitherDirection) {
  for (const auto& [from, to] : {std::pair(0u, 1u), std::pair(1u, 0u)}) {
    World world;
    world.join();
    world.network.cut(from, to);
    world.run_until(5.4);
    EXPECT_EQ(world.events, "");
    world.run_until(7.5);
    EXPECT_EQ(world.events.substr(0, 6), "alone ");
  }
}

TEST(CoordinatorLink, AShortCutHasNoEffect) {
  World world;
  world.join();
  for (const double cut_s : {1.0, 6.0}) {
    world.queue.at(cut_s, [&] { world.network.cut(1, 0); });
    world.queue.at(cut_s + 3, [&] { world.network.heal(1, 0); });
  }
  world.run_until(12);
  EXPECT_EQ(world.events, "");
}

TEST(CoordinatorLink, AnOlderCoordinatorIsRefused) {
  World world;
  world.term = 2;
  world.join();
  world.term = 1;
  world.connections.close(WorkerId{7});
  world.run_until(1);
  EXPECT_EQ(world.link->worker(), WorkerId{7});
  EXPECT_EQ(world.events.find("after 7"), std::string::npos) << world.events;
}

TEST(CoordinatorLink, AProcessThatIsAskedToLeaveReportsThisAndEndsAfterItsPatience) {
  World world;
  world.join();
  world.link->leave();
  world.run_until(4.4);
  EXPECT_EQ(world.events, "leaves ");
  world.run_until(5);
  EXPECT_EQ(world.events, "leaves exit code 0");
}

TEST(CoordinatorLink, ASecondStopSignalOrNoCoordinatorEndsTheProcessAtOnce) {
  World world;
  world.join();
  world.link->leave();
  world.link->leave();
  EXPECT_EQ(world.events, "exit code 0");
  World alone;
  alone.link->leave();
  EXPECT_EQ(alone.events,
            "exit code 4: asked to leave while no coordinator was connected; the chunks were not "
            "handed over");
}

TEST(CoordinatorLink, AByeEndsTheProcess) {
  World world;
  world.join();
  proto::ToWorker bye;
  bye.mutable_bye();
  world.connections.send(WorkerId{7}, bye);
  world.run_until(1);
  EXPECT_EQ(world.events, "exit code 0");
}

}  // namespace coordinator_link_test
}  // namespace surety::sim
