#include "orchestrator/workforce/worker_connections.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace surety::orchestrator {
namespace worker_connections_test {

// The process calls over a new connection, and is admitted.
void join(WorkerConnections& connections, std::uint64_t connection, std::uint32_t launch,
          WorkerId worker) {
  EXPECT_NE(connections.on_opened(connection, {}, launch).origin, Origin::kJoinedByItself);
  connections.admit(connection, worker);
}

// The launch that is known of the connection: the one that is on notice when its worker leaves.
std::optional<std::uint32_t> leaving_launch(const WorkerConnections& connections,
                                            std::uint64_t connection) {
  proto::FromWorker message;
  message.mutable_leaving();
  return connections.on_notice(connection, message);
}

TEST(WorkerConnections, AWorkerThatIsRemovedIsNotAtTheEndOfItsConnectionAnyMore) {
  WorkerConnections connections;
  connections.admit(10, WorkerId{1});
  connections.admit(11, WorkerId{2});
  EXPECT_EQ(connections.of(WorkerId{1}), 10u);
  EXPECT_EQ(connections.worker_of(10), WorkerId{1});
  EXPECT_EQ(connections.remove(WorkerId{1}), 10u);
  EXPECT_EQ(connections.of(WorkerId{1}), std::nullopt);
  EXPECT_EQ(connections.worker_of(10), std::nullopt);
  EXPECT_EQ(connections.remove(WorkerId{1}), std::nullopt);
  EXPECT_EQ(connections.worker_of(11), WorkerId{2});
}

TEST(WorkerConnections, AWorkerHasOneConnectionAndAConnectionOneWorker) {
  WorkerConnections connections;
  connections.admit(10, WorkerId{1});
  EXPECT_DEATH(connections.admit(10, WorkerId{2}), "worker_of");
  EXPECT_DEATH(connections.admit(11, WorkerId{1}), "of\\(worker\\)");
}

TEST(WorkerConnections, AConnectionThatIsClosedIsForgottenWithItsWorkerAndItsLaunch) {
  WorkerConnections connections;
  join(connections, 10, 3, WorkerId{1});
  EXPECT_EQ(leaving_launch(connections, 10), 3u);
  EXPECT_EQ(connections.on_closed(10), WorkerId{1});
  EXPECT_EQ(connections.of(WorkerId{1}), std::nullopt);
  EXPECT_EQ(leaving_launch(connections, 10), std::nullopt);
  EXPECT_EQ(connections.on_closed(10), std::nullopt);
}

TEST(WorkerConnections, TheLaunchIsKnownBeforeTheWorkerIsAdmittedAndAfterItIsRemoved) {
  WorkerConnections connections;
  static_cast<void>(connections.on_opened(10, {}, 3));
  EXPECT_EQ(connections.worker_of(10), std::nullopt);
  EXPECT_EQ(leaving_launch(connections, 10), 3u);
  connections.admit(10, WorkerId{1});
  connections.remove(WorkerId{1});
  EXPECT_EQ(leaving_launch(connections, 10), 3u);
  EXPECT_EQ(leaving_launch(connections, 11), std::nullopt);
}

TEST(WorkerConnections, TheLastWorkerOfALaunchIsKnownAfterItsConnectionIsClosed) {
  WorkerConnections connections;
  EXPECT_EQ(connections.last_of(3), std::nullopt);
  join(connections, 10, 3, WorkerId{1});
  connections.on_closed(10);
  static_cast<void>(connections.on_opened(11, {}, 3));
  EXPECT_EQ(connections.last_of(3), WorkerId{1});
  connections.admit(11, WorkerId{2});
  EXPECT_EQ(connections.last_of(3), WorkerId{2});
  EXPECT_EQ(connections.last_of(4), std::nullopt);
}

TEST(WorkerConnections, TheNodeOfALaunchIsOnNoticeWhenItsWorkerSaysThatItLeaves) {
  WorkerConnections connections;
  join(connections, 10, 3, WorkerId{1});
  static_cast<void>(connections.on_opened(11, {}, std::nullopt));
  proto::FromWorker message;
  message.mutable_heartbeat();
  EXPECT_EQ(connections.on_notice(10, message), std::nullopt);
  message.mutable_leaving();
  EXPECT_EQ(connections.on_notice(10, message), 3u);
  EXPECT_EQ(connections.on_notice(11, message), std::nullopt);
}

TEST(WorkerConnections, OnlyTheFirstHelloOfALaunchIsNotARepeatedOne) {
  WorkerConnections connections;
  EXPECT_EQ(connections.on_opened(10, {}, 3).origin, Origin::kStarted);
  EXPECT_EQ(connections.on_opened(11, {}, 3).origin, Origin::kCallsAgain);
  connections.on_closed(11);
  EXPECT_EQ(connections.on_opened(12, {}, 3).origin, Origin::kCallsAgain);
  EXPECT_EQ(connections.on_opened(13, {}, 4).origin, Origin::kStarted);
  EXPECT_EQ(connections.joined(), (std::set<std::uint32_t>{3, 4}));
}

TEST(WorkerConnections, AWorkerThatNoLauncherHasStartedIsAlwaysFromElsewhere) {
  WorkerConnections connections;
  proto::Hello hello;
  hello.set_host("here");
  for (const std::uint64_t connection : {10u, 11u}) {
    const WorkerHello event = connections.on_opened(connection, hello, std::nullopt);
    EXPECT_EQ(event.connection, connection);
    EXPECT_EQ(event.hello.host(), "here");
    EXPECT_EQ(event.origin, Origin::kJoinedByItself);
  }
  EXPECT_EQ(leaving_launch(connections, 10), std::nullopt);
  EXPECT_TRUE(connections.joined().empty());
}

TEST(WorkerConnections, NoLauncherStartedAnInvitedWorkerWhateverItStates) {
  WorkerConnections connections;
  const WorkerHello event = connections.on_opened(10, {}, 3, "anna");
  EXPECT_EQ(event.origin, Origin::kJoinedByItself);
  EXPECT_EQ(event.invitation, "anna");
  EXPECT_TRUE(connections.joined().empty());
}

TEST(WorkerConnections, TextsOfWorkersAreShortAndWithoutControlCharacters) {
  WorkerConnections connections;
  proto::Hello hello;
  hello.set_host("\x1b[2J" + std::string(1000, 'a'));
  const std::string host = connections.on_opened(10, hello, std::nullopt).hello.host();
  EXPECT_EQ(host.size(), 255u);
  EXPECT_TRUE(host.starts_with("?[2J"));
  proto::FromWorker message;
  message.mutable_failed()->set_message("a\nb" + std::string(10'000, 'c'));
  const WorkerMessage event = message_of(WorkerId{4}, message);
  EXPECT_EQ(event.worker, WorkerId{4});
  EXPECT_EQ(event.message.failed().message().size(), 4096u);
  EXPECT_TRUE(event.message.failed().message().starts_with("a?b"));
}

TEST(WorkerConnections, AProcessThatCallsAgainHasItsOldConnectionUntilItsOldWorkerIsRemoved) {
  WorkerConnections connections;
  join(connections, 10, 3, WorkerId{1});
  EXPECT_EQ(connections.on_opened(11, {}, 3).origin, Origin::kCallsAgain);
  EXPECT_EQ(connections.of(WorkerId{1}), 10u);
  EXPECT_EQ(connections.remove(WorkerId{1}), 10u);
  connections.admit(11, WorkerId{2});
  EXPECT_EQ(connections.on_closed(10), std::nullopt);
  EXPECT_EQ(connections.of(WorkerId{2}), 11u);
  EXPECT_EQ(connections.last_of(3), WorkerId{2});
}

}  // namespace worker_connections_test
}  // namespace surety::orchestrator
