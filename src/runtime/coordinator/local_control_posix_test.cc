// The control stream between two threads of one process, and the worker at its end.
#include "runtime/control/local_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/posix/wait_testing.h"
#include "learn/linear/task_factory.h"
#include "runtime/control/events_testing.h"
#include "runtime/coordinator/thread_launcher.h"
#include "runtime/worker/alone_transport.h"

namespace surety::runtime {
namespace local_control_posix_test {

class LocalStream : public ::testing::Test {
 protected:
  std::unique_ptr<ControlClient> join() {
    proto::Hello hello;
    hello.set_host("here");
    return control_.connect(hello, [this] { ++wakes_; });
  }

  static proto::ToWorker bye() {
    proto::ToWorker bye;
    bye.mutable_bye()->set_reason("done");
    return bye;
  }

  Inbox<ConnectionEvent> events_;
  LocalControl control_{events_};
  int wakes_ = 0;
};

TEST_F(LocalStream, AWorkerSaysHelloAndIsWokenForCommands) {
  const auto client = join();
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->hello.host(), "here");
  control_.send(opened->connection, bye());
  EXPECT_EQ(wakes_, 1);
  const auto command = client->inbox().take();
  ASSERT_TRUE(command);
  EXPECT_TRUE(command->has_bye());
  EXPECT_FALSE(client->ended());
}

TEST_F(LocalStream, HeartbeatsComeByThemselves) {
  const auto client = join();
  const auto message = next_event<ConnectionMessage>(events_);
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->message.has_heartbeat());
}

TEST_F(LocalStream, AWorkerThatIsGoneIsReportedAndSentNothing) {
  auto client = join();
  const auto opened = next_event<ConnectionOpened>(events_);
  client.reset();
  const auto closed = next_event<ConnectionClosed>(events_);
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->connection, opened->connection);
  control_.send(opened->connection, bye());
  EXPECT_EQ(wakes_, 0);
}

TEST_F(LocalStream, AClosedStreamEndsAfterWhatWasQueued) {
  const auto client = join();
  const auto opened = next_event<ConnectionOpened>(events_);
  control_.send(opened->connection, bye());
  control_.close(opened->connection);
  EXPECT_TRUE(client->inbox().take());
  EXPECT_FALSE(client->inbox().take());
  EXPECT_TRUE(client->ended());
}

TEST_F(LocalStream, WhoComesAfterTheEndHasAStreamThatHasEnded) {
  control_.shut();
  EXPECT_TRUE(join()->ended());
}

TEST(AloneTransport, AWakeBeforeTheWaitEndsIt) {
  AloneTransport transport;
  transport.wake();
  EXPECT_TRUE(transport.poll(std::chrono::hours(1)).empty());
  EXPECT_FALSE(transport.connect("127.0.0.1:1"));
}

class WorkerThread : public LocalStream {
 protected:
  ThreadLauncher launcher(const std::optional<std::string>& spill = {}) {
    return ThreadLauncher({.factory = learn::glm_only(), .spill = spill}, control_);
  }

  // Waits for the first ends that the launcher reports.
  static std::vector<WorkerEnd> ends_of(ThreadLauncher& launcher) {
    std::vector<WorkerEnd> ends;
    EXPECT_TRUE(posix::wait_until("the end of a worker", [&] {
      ends = launcher.take_ended();
      return !ends.empty();
    }));
    return ends;
  }
};

TEST_F(WorkerThread, ASecondOneStartsWhenTheFirstHasEnded) {
  ThreadLauncher one = launcher();
  ASSERT_TRUE(one.start("local"));
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(one.start("local"));
  // The first worker may send heartbeats.
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(poll_event<ConnectionOpened>(events_));
  control_.send(opened->connection, bye());
  ASSERT_FALSE(ends_of(one).empty());
  EXPECT_EQ(one.running(), 1u);
  const auto next = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->hello.launch(), 2u);
}

TEST_F(WorkerThread, ItsLaunchIsOneOfTheLauncherAndNoOtherIs) {
  ThreadLauncher one = launcher();
  ASSERT_TRUE(one.start("local"));
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->hello.launch(), 1u);
  EXPECT_TRUE(one.has(1));
  EXPECT_FALSE(one.has(2));
}

TEST_F(WorkerThread, ItsEndIsToldWithTheReasonAndAnotherMayStart) {
  ThreadLauncher one = launcher();
  ASSERT_TRUE(one.start("local"));
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  control_.send(opened->connection, bye());
  ASSERT_TRUE(next_event<ConnectionClosed>(events_));
  const std::vector<WorkerEnd> ends = ends_of(one);
  ASSERT_FALSE(ends.empty());
  EXPECT_EQ(ends.front().what, "worker 1, in this process: done");
  EXPECT_EQ(ends.front().type, "local");
  EXPECT_EQ(one.running(), 0u);
  EXPECT_TRUE(one.start("local"));
}

TEST_F(WorkerThread, OneThatCannotWorkEndsWithoutHavingCalled) {
  ThreadLauncher one = launcher("/not/there");
  ASSERT_TRUE(one.start("local"));
  const std::vector<WorkerEnd> ends = ends_of(one);
  ASSERT_FALSE(ends.empty());
  EXPECT_THAT(ends.front().what, ::testing::HasSubstr("/not/there"));
  EXPECT_FALSE(events_.take());
}

TEST_F(WorkerThread, OneThatNobodyDismissedEndsWithItsLauncher) {
  {
    ThreadLauncher one = launcher();
    ASSERT_TRUE(one.start("local"));
    ASSERT_TRUE(next_event<ConnectionOpened>(events_));
  }
  EXPECT_TRUE(next_event<ConnectionClosed>(events_));
}

}  // namespace local_control_posix_test
}  // namespace surety::runtime
