#include "worker/attendance.h"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace attendance_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Error kEnded{ErrorCode::kUnavailable, "the coordinator ended the connection"};

// The effect as a short text.
std::string text_of(const Effect& effect) {
  struct Text {
    std::string operator()(const CallCoordinator& call) { return "call " + call.address; }
    std::string operator()(const CloseConnection&) { return "hang up"; }
    std::string operator()(const SendToCoordinator& told) {
      return told.message.has_leaving() ? "tell that it leaves" : "tell";
    }
    std::string operator()(const PassWelcome& passed) {
      return fmt::format("pass welcome {} with {} samples", passed.welcome.worker(),
                         passed.keeps_samples ? "its" : "no");
    }
    std::string operator()(const PassCommand& passed) {
      return fmt::format("pass {}", passed.command.sequence());
    }
    std::string operator()(const ReportCoordinatorLost&) { return "forget"; }
    std::string operator()(const WatchForSuccessor& watch) {
      return fmt::format("watch {} after {}", watch.folder, watch.term);
    }
    std::string operator()(const ReadFolders& folders) {
      return fmt::format("read {} and {}", folders.run_folder.value_or("nothing"),
                         folders.folder.value_or("nothing"));
    }
    std::string operator()(const WakeAfter& wake) {
      return fmt::format("wake after {} ms", wake.delay / milliseconds(1));
    }
    std::string operator()(const LogLine& effect) { return "log " + effect.line; }
    std::string operator()(const EndWorker& end) {
      return end.why ? "end: " + *end.why : "fail: " + end.why.error().message;
    }
  };
  return std::visit(Text(), effect);
}

proto::Welcome welcome_of(std::uint32_t worker, std::uint32_t term) {
  proto::Welcome welcome;
  welcome.set_run("run 1");
  welcome.set_worker(worker);
  welcome.set_term(term);
  return welcome;
}

proto::ToWorker command(std::uint64_t sequence) {
  proto::ToWorker message;
  message.set_sequence(sequence);
  message.mutable_evaluate();
  return message;
}

// A worker that holds the chunks 4 and 7.
class Attends : public ::testing::Test {
 protected:
  Attends() {
    options_.join = "host:1";
    options_.hello.set_host("me");
    options_.binding = {.patience = seconds(1), .wait = seconds(2)};
    options_.notice = seconds(30);
  }

  Attendance& worker() {
    if (!worker_) {
      worker_.emplace(options_, [] { return std::vector<ChunkId>{ChunkId{4}, ChunkId{7}}; });
    }
    return *worker_;
  }
  // Remembers the last timer and Hello among the effects, and returns their texts.
  std::vector<std::string> texts(const Effects& effects) {
    std::vector<std::string> texts;
    for (const Effect& effect : effects) {
      texts.push_back(text_of(effect));
      if (const auto* wake = std::get_if<WakeAfter>(&effect)) {
        timer_ = wake->timer;
        delay_ = wake->delay;
      }
      if (const auto* call = std::get_if<CallCoordinator>(&effect)) hello_ = call->hello;
    }
    return texts;
  }
  std::vector<std::string> lose() { return texts(worker().on_lost(now_, kEnded)); }
  std::vector<std::string> hear(const proto::Welcome& welcome) {
    proto::ToWorker message;
    *message.mutable_welcome() = welcome;
    return texts(worker().on_message(now_, message));
  }
  std::vector<std::string> signal() { return texts(worker().on_stop_signal()); }

  // Connects the worker, without a Welcome.
  void connect() {
    texts(worker().begin());
    (void)worker().on_answered();
  }
  void join(const proto::Welcome& welcome = welcome_of(3, 2)) {
    connect();
    hear(welcome);
  }
  // Ends the pause, so that the worker calls again.
  std::vector<std::string> call_again(const FoldersRead& found = {}) {
    now_ += delay_;
    texts(worker().on_time(now_, timer_));
    return texts(worker().on_folders_read(found));
  }

  AttendanceOptions options_;
  std::optional<Attendance> worker_;
  Time now_{};
  std::uint64_t timer_ = 0;
  Duration delay_{};
  proto::Hello hello_;
};

// ---- calls --------------------------------------------------------------------------------------

TEST_F(Attends, ACallSaysWhoCallsAndWhatItHolds) {
  EXPECT_THAT(texts(worker().begin()), ElementsAre("call host:1"));
  EXPECT_EQ(hello_.host(), "me");
  EXPECT_EQ(hello_.worker(), 0u);
  EXPECT_THAT(hello_.chunks(), ElementsAre(4, 7));
  (void)worker().on_answered();
  hear(welcome_of(3, 2));
  lose();
  EXPECT_THAT(call_again(), ElementsAre("call host:1"));
  EXPECT_EQ(hello_.worker(), 3u);
  EXPECT_EQ(hello_.term(), 2u);
}

TEST_F(Attends, WhoIsNotAnsweredCallsAgainAfterItsPause) {
  texts(worker().begin());
  EXPECT_THAT(lose(), ElementsAre("forget", "wake after 50 ms"));
  EXPECT_THAT(texts(worker().on_time(now_, timer_)), ElementsAre("read nothing and nothing"));
  EXPECT_THAT(texts(worker().on_folders_read({})), ElementsAre("call host:1"));
  EXPECT_THAT(lose(), ElementsAre("forget", "wake after 100 ms"));
}

// The first answer may take longer than the first call waits.
TEST_F(Attends, AStrangerWaitsLongerWithEachCallThatFails) {
  options_.binding.patience = seconds(60);
  texts(worker().begin());
  std::vector<Duration> patience;
  for (int call = 0; call < 5; ++call) {
    lose();
    now_ += delay_;
    texts(worker().on_time(now_, timer_));
    for (const Effect& effect : worker().on_folders_read({})) {
      if (const auto* made = std::get_if<CallCoordinator>(&effect)) {
        patience.push_back(made->patience);
      }
    }
  }
  EXPECT_THAT(patience, ElementsAre(seconds(1), seconds(2), seconds(4), seconds(4), seconds(4)));
}

TEST_F(Attends, AConnectionWithoutAWelcomeIsLost) {
  texts(worker().begin());
  texts(worker().on_answered());
  EXPECT_EQ(delay_, seconds(20));
  const std::uint64_t unwelcomed = timer_;
  now_ += delay_;
  EXPECT_THAT(texts(worker().on_time(now_, unwelcomed)).front(), HasSubstr("hang up"));
}

TEST_F(Attends, AWelcomeInTimeKeepsTheConnection) {
  texts(worker().begin());
  texts(worker().on_answered());
  const std::uint64_t unwelcomed = timer_;
  hear(welcome_of(3, 2));
  EXPECT_THAT(texts(worker().on_time(now_, unwelcomed)), IsEmpty());
}

TEST_F(Attends, AStrangerGivesUpAfterItsPatienceAndSaysWhomItCalled) {
  texts(worker().begin());
  lose();
  call_again();
  now_ += seconds(1);
  EXPECT_THAT(lose(),
              ElementsAre("forget",
                          "fail: no coordinator answers at host:1 within 1s; is the run on, and is "
                          "this the address that  surety run  printed?"));
}

TEST_F(Attends, WhoIsWithoutACoordinatorForItsWaitGivesUp) {
  join();
  lose();
  call_again();
  now_ += seconds(2);
  EXPECT_THAT(lose(), ElementsAre("forget", HasSubstr("fail: no coordinator has answered within "
                                                      "2s: this worker ends")));
}

TEST_F(Attends, TheFirstLossIsSaidWithWhatIsKeptAndTheNextOnesAreNot) {
  join();
  EXPECT_THAT(lose(), ElementsAre("forget",
                                  "log the coordinator ended the connection; keeping 2 chunks and "
                                  "calling host:1 again for 2s",
                                  "wake after 50 ms"));
  call_again();
  EXPECT_THAT(lose(), ElementsAre("forget", "wake after 100 ms"));
}

TEST_F(Attends, TheCoordinatorThatTheFolderNamesIsCalledUnlessItIsOlder) {
  proto::Welcome welcome = welcome_of(3, 2);
  welcome.set_folder("/runs/1");
  connect();
  EXPECT_THAT(hear(welcome),
              ElementsAre("watch /runs/1 after 2", "pass welcome 3 with no samples"));
  EXPECT_THAT(lose().at(1), HasSubstr("looking for the next one"));
  EXPECT_THAT(call_again({.coordinator = FoldersRead::Coordinator{"other:1", 3}}),
              ElementsAre("call other:1"));
  lose();
  EXPECT_THAT(call_again({.coordinator = FoldersRead::Coordinator{"old:1", 1}}),
              ElementsAre("call host:1"));
}

TEST_F(Attends, WhoseRunFolderIsGoneLeaves) {
  options_.run_folder = "/runs/1";
  join();
  lose();
  EXPECT_THAT(texts(worker().on_time(now_, timer_)), ElementsAre("read /runs/1 and nothing"));
  EXPECT_THAT(texts(worker().on_folders_read({.run_is_gone = true, .coordinator = {}})),
              ElementsAre(HasSubstr("fail: the run's folder /runs/1 does not exist any more")));
}

TEST_F(Attends, WhatComesWhileThereIsNoConnectionIsIgnored) {
  join();
  lose();
  EXPECT_THAT(lose(), IsEmpty());
  EXPECT_THAT(hear(welcome_of(4, 3)), IsEmpty());
  const std::uint64_t pause = timer_;
  call_again();
  EXPECT_THAT(texts(worker().on_time(now_, pause)), IsEmpty());
  EXPECT_THAT(texts(worker().on_folders_read({})), IsEmpty());
}

// ---- a coordinator ------------------------------------------------------------------------------

TEST_F(Attends, ACommandIsObeyedOnceTheWorkerIsWelcomedOverThisConnection) {
  connect();
  EXPECT_THAT(texts(worker().on_message(now_, command(1))), IsEmpty());
  hear(welcome_of(3, 2));
  EXPECT_THAT(texts(worker().on_message(now_, command(2))), ElementsAre("pass 2"));
  lose();
  call_again();
  (void)worker().on_answered();
  EXPECT_THAT(texts(worker().on_message(now_, command(3))), IsEmpty());
}

TEST_F(Attends, TheNextCoordinatorFindsTheSamplesAndAnotherRunDoesNot) {
  join();
  lose();
  call_again();
  (void)worker().on_answered();
  EXPECT_THAT(hear(welcome_of(9, 3)),
              ElementsAre("pass welcome 9 with its samples",
                          "log this process is worker 9 of coordinator 3 now; 2 chunks are still "
                          "here"));
  lose();
  call_again();
  (void)worker().on_answered();
  proto::Welcome other = welcome_of(1, 1);
  other.set_run("run 2");
  EXPECT_THAT(hear(other), ElementsAre("pass welcome 1 with no samples"));
}

TEST_F(Attends, ARefusedWelcomeEndsTheConnectionAndTheWorkerCallsAgainAfterItsPause) {
  join();
  lose();
  call_again();
  (void)worker().on_answered();
  EXPECT_THAT(hear(welcome_of(9, 1)),
              ElementsAre("log this worker refused coordinator 1 of this run: coordinator 2 has "
                          "taken it over",
                          "hang up", "forget", "wake after 100 ms"));
  EXPECT_THAT(call_again(), ElementsAre("call host:1"));
  EXPECT_EQ(hello_.worker(), 3u);
}

TEST_F(Attends, ARefusedWelcomeFromTheConnectedCoordinatorIsALoss) {
  join();
  EXPECT_THAT(hear(welcome_of(9, 1)),
              ElementsAre(HasSubstr("log this worker refused"), "hang up", "forget",
                          HasSubstr("keeping 2 chunks"), "wake after 50 ms"));
}

TEST_F(Attends, AByeEndsTheWorkerWell) {
  join();
  proto::ToWorker bye;
  bye.mutable_bye()->set_reason("the end");
  EXPECT_THAT(texts(worker().on_message(now_, bye)), ElementsAre("end: the end"));
  EXPECT_THAT(lose(), IsEmpty());
  EXPECT_THAT(signal(), IsEmpty());
}

TEST_F(Attends, WhoIsNotWantedDoesNotCallAgain) {
  connect();
  EXPECT_THAT(texts(worker().on_lost(now_, {ErrorCode::kInvalidInput, "the token is wrong"})),
              ElementsAre("forget", "fail: the token is wrong"));
}

TEST_F(Attends, WithoutAWaitTheCoordinatorsEndIsTheWorkers) {
  options_.binding.wait = std::nullopt;
  join();
  EXPECT_THAT(lose(), ElementsAre("forget", "fail: the coordinator ended the connection"));
}

// ---- signals ------------------------------------------------------------------------------------

TEST_F(Attends, ASignalTellsTheCoordinatorAndTheNoticeEndsTheWorker) {
  join();
  EXPECT_THAT(signal(), ElementsAre("tell that it leaves", "wake after 30000 ms"));
  EXPECT_TRUE(worker().is_leaving());
  EXPECT_THAT(texts(worker().on_message(now_, command(2))), ElementsAre("pass 2"));
  EXPECT_THAT(
      texts(worker().on_time(now_, timer_)),
      ElementsAre(HasSubstr("end: left before the coordinator confirmed it: a second signal")));
}

TEST_F(Attends, ASecondSignalEndsAtOnce) {
  join();
  signal();
  EXPECT_THAT(signal(), ElementsAre(HasSubstr("end: left before the coordinator")));
}

TEST_F(Attends, WithoutACoordinatorASignalEndsAtOnce) {
  const std::string end =
      "fail: asked to leave while no coordinator was connected; the chunks were not handed over";
  EXPECT_THAT(signal(), ElementsAre(end));
  EXPECT_THAT(texts(worker().begin()), IsEmpty());
  worker_.reset();
  join();
  lose();
  EXPECT_THAT(signal(), ElementsAre(end));
  EXPECT_THAT(texts(worker().on_time(now_, timer_)), IsEmpty());
}

TEST_F(Attends, WhoIsToldToLeaveInACallLeavesWhenTheCallIsAnswered) {
  texts(worker().begin());
  EXPECT_THAT(signal(), ElementsAre("wake after 30000 ms"));
  EXPECT_THAT(texts(worker().on_answered()),
              ElementsAre("wake after 20000 ms", "tell that it leaves"));
  hear(welcome_of(3, 2));
  EXPECT_THAT(texts(worker().on_message(now_, command(2))), ElementsAre("pass 2"));
}

TEST_F(Attends, WhoIsToldToLeaveInACallThatFailsEnds) {
  texts(worker().begin());
  signal();
  EXPECT_THAT(lose(), ElementsAre("fail: asked to leave while no coordinator was connected; the "
                                  "chunks were not handed over: the coordinator ended the "
                                  "connection"));
}

TEST_F(Attends, WhoLeavesDoesNotCallAgain) {
  join();
  signal();
  EXPECT_THAT(lose(), ElementsAre("forget",
                                  "fail: asked to leave, and then the coordinator was lost: "
                                  "the coordinator ended the connection"));
}

}  // namespace attendance_test
}  // namespace surety::worker
