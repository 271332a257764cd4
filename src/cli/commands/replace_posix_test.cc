// Workers that are killed or stopped, with real processes: their number becomes what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "cli/commands/runs_test.h"

namespace surety::cli {
namespace replace_posix_test {

using ::testing::HasSubstr;

// Processes that have joined.
std::set<pid_t> processes(const Records& records) {
  const std::vector<pid_t> all = workers(records);
  return {all.begin(), all.end()};
}

// Workers that are present. On a busy machine, a worker that sent nothing for a while may be
// missing for a moment.
std::size_t present(const Records& records) {
  return workers(records).size() - gone(records, "lost") - gone(records, "leave");
}

// The three workers of the run have made two passes. Returns the processes.
std::vector<pid_t> three_train(Runs& runs, posix::Process& run) {
  EXPECT_TRUE(runs.wait_for(
      "three workers that train",
      [](const Records& r) { return passes(r) >= 2 && present(r) == 3; }, &run));
  const std::set<pid_t> all = processes(runs.journal("run"));
  EXPECT_EQ(all.size(), 3u);
  return {all.begin(), all.end()};
}

void interrupt(Runs& runs, posix::Process& run) {
  run.send_signal(SIGINT);
  EXPECT_TRUE(run.wait(posix::kTestPatience)) << runs.output("log");
}

// A fourth process has taken the place of one of the three.
::testing::AssertionResult has_successor(Runs& runs, posix::Process& run) {
  return runs.wait_for(
      "a fourth process in place of a lost one",
      [](const Records& r) { return processes(r).size() >= 4 && present(r) == 3; }, &run);
}

TEST(Replace, AWorkerThatIsKilledInTrainingIsStartedAgain) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  ::kill(three_train(runs, run).front(), SIGKILL);
  EXPECT_TRUE(has_successor(runs, run));
  EXPECT_THAT(runs.output("log"),
              HasSubstr("1 worker of type local is started, because it replaces a lost one"));
  interrupt(runs, run);
}

// The records of workers that have joined the newest coordinator.
std::size_t joined_again(const Records& records) {
  std::size_t count = 0;
  for (const auto& record : records) {
    if (record.has_run_resumed()) count = 0;
    count += record.has_worker_joined() ? 1 : 0;
  }
  return count;
}

TEST(Replace, AWorkerOfTheLastCoordinatorToo) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  const std::vector<pid_t> first = three_train(runs, run);
  ASSERT_TRUE(runs.kill(run));
  posix::Process next = runs.start({"train", "--resume", "--out", runs.path("run")}, "log");
  const auto has_resumed = [](const Records& r) {
    return std::ranges::any_of(r, [](const auto& record) { return record.has_run_resumed(); });
  };
  ASSERT_TRUE(runs.wait_for(
      "the three workers with the next coordinator",
      [&](const Records& r) { return has_resumed(r) && joined_again(r) >= 3; }, &next));
  ::kill(first.front(), SIGKILL);
  EXPECT_TRUE(runs.wait_for(
      "a worker in place of the lost one", [](const Records& r) { return joined_again(r) >= 4; },
      &next));
  interrupt(runs, next);
}

TEST(Replace, InARunWithAttemptsToo) {
  Runs runs;
  // Otherwise such a run may decide to train with fewer workers.
  std::vector<std::string> arguments = runs.training(kEndless, {"profile.workers=[3]"});
  arguments.front() = "run";
  arguments.push_back("--best-effort");
  posix::Process run = runs.start(arguments, "log");
  ::kill(three_train(runs, run).front(), SIGKILL);
  EXPECT_TRUE(has_successor(runs, run));
  interrupt(runs, run);
}

TEST(Replace, AWorkerThatReturnsAfterItsSuccessorJoinedIsDismissedAndEndsWell) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  const pid_t stopped = three_train(runs, run).front();
  ::kill(stopped, SIGSTOP);
  EXPECT_TRUE(has_successor(runs, run));
  ::kill(stopped, SIGCONT);
  EXPECT_TRUE(runs.wait_for_output("log", fmt::format("(pid {}): exit code 0", stopped), 1, &run));
  EXPECT_THAT(runs.output("log"), HasSubstr("is dismissed: another worker has taken its place"));
  EXPECT_TRUE(runs.wait_for(
      "three workers", [](const Records& r) { return present(r) == 3; }, &run));
  interrupt(runs, run);
}

// The run waits for a fourth worker, from elsewhere.
TEST(Replace, AllThatAreKilledWhileAnotherOneIsGatheredAreStartedAgain) {
  Runs runs;
  posix::Process run = runs.start(
      runs.training(kEndless, {"cluster={local: 3, workers_min: 4, listen: \"127.0.0.1:0\"}"}),
      "log");
  EXPECT_TRUE(runs.wait_for(
      "three workers", [](const Records& r) { return present(r) == 3; }, &run));
  const std::set<pid_t> killed = processes(runs.journal("run"));
  for (const pid_t worker : killed) ::kill(worker, SIGKILL);
  EXPECT_TRUE(runs.wait_for(
      "three other processes",
      [&](const Records& r) { return processes(r).size() >= 6 && present(r) == 3; }, &run));
  EXPECT_EQ(passes(runs.journal("run")), 0u);
  interrupt(runs, run);
}

TEST(Replace, AWorkerThatIsAskedToLeaveIsNotReplaced) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  const pid_t asked = three_train(runs, run).front();
  ::kill(asked, SIGTERM);
  EXPECT_TRUE(runs.wait_for_output("log", fmt::format("(pid {}): exit code 0", asked), 1, &run));
  const std::size_t before = passes(runs.journal("run"));
  EXPECT_TRUE(runs.wait_for_passes(before + 20, &run));
  EXPECT_EQ(processes(runs.journal("run")).size(), 3u);
  interrupt(runs, run);
}

}  // namespace replace_posix_test
}  // namespace surety::cli
