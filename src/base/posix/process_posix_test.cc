#include "base/posix/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/posix/file.h"
#include "base/posix/process_list.h"
#include "base/posix/signals.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"

namespace surety::posix {
namespace process_posix_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

Process start_shell(const std::string& script, ProcessOptions options = {}) {
  options.argv = {"sh", "-c", script};
  return Process::start(options).value();
}

// Waits until a script has set its traps, which it reports by its first output.
testing::AssertionResult is_ready(Process& process, const std::filesystem::path& output) {
  return wait_until({.what = "the script's first word",
                     .holds = [&] { return !read_file(output).value_or("").empty(); },
                     .is_impossible = [&] { return process.poll().has_value(); }});
}

TEST(Process, ReportsItsExitCodeOnceItEnds) {
  Process process = start_shell("exit 3");
  const auto status = process.wait(kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 3);
  EXPECT_FALSE(status->ok());
  EXPECT_EQ(status->text(), "exit code 3");
  EXPECT_EQ(process.poll()->code, 3);
}

TEST(Process, ThatRunsHasNoStatus) {
  Process process = start_shell("exec sleep 1000");
  EXPECT_FALSE(process.poll());
  EXPECT_FALSE(process.wait(1ms));
}

TEST(Process, ThatCannotBeStartedSaysWhich) {
  const auto process = Process::start({.argv = {"/no/such/program"}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(process.error().message, "/no/such/program: cannot start: No such file or directory");
}

TEST(Process, SeesOurEnvironmentAndWhatIsAddedAndWritesToItsFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(setenv("SURETY_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(setenv("SURETY_TEST_CHANGED", "before", 1), 0);
  Process process = start_shell(
      "echo $SURETY_TEST_KEPT $SURETY_TEST_CHANGED; echo error >&2",
      {.environment = {{"SURETY_TEST_CHANGED", "after"}}, .output = folder.path() / "out"});
  ASSERT_TRUE(process.wait(kTestPatience)->ok());
  EXPECT_EQ(read_file(folder.path() / "out").value(), "kept after\nerror\n");
}

TEST(ProcessTerminate, IsPoliteFirst) {
  const TemporaryFolder folder;
  Process process = start_shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done",
                                {.output = folder.path() / "out"});
  ASSERT_TRUE(is_ready(process, folder.path() / "out"));
  EXPECT_EQ(process.terminate(kTestPatience).code, 7);
}

TEST(ProcessTerminate, KillsWhatIsDeafAfterItsGrace) {
  const TemporaryFolder folder;
  Process process =
      start_shell("trap '' TERM; echo ready; exec sleep 1000", {.output = folder.path() / "out"});
  ASSERT_TRUE(is_ready(process, folder.path() / "out"));
  const ExitStatus status = process.terminate(20ms);
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_EQ(status.text(), "signal 9 (Killed)");
}

TEST(Process, IsKilledWhenItsOwnerGoes) {
  pid_t pid = 0;
  {
    const Process process = start_shell("exec sleep 1000");
    pid = process.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(Process, InItsOwnGroupIsNotReachedByCtrlC) {
  const Process ours = start_shell("exec sleep 1000");
  const Process own = start_shell("exec sleep 1000", {.own_process_group = true});
  EXPECT_EQ(getpgid(ours.pid()), getpgrp());
  EXPECT_EQ(getpgid(own.pid()), own.pid());
}

// The middle process starts a grandchild that dies with it, and is then killed without a chance to
// clean up. The grandchild holds the write end of a pipe, so the end of file shows that it has
// ended.
TEST(Process, DiesWithAParentThatIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t middle = fork();
  if (middle == 0) {
    auto grandchild = Process::start({.argv = {"sleep", "1000"}, .dies_with_parent = true});
    const char started = grandchild ? 'y' : 'n';
    if (write(ends[1], &started, 1) == 1) pause();
    _exit(1);
  }
  close(ends[1]);
  char started = 0;
  ASSERT_EQ(read(ends[0], &started, 1), 1);
  EXPECT_EQ(started, 'y');
  ASSERT_EQ(kill(middle, SIGKILL), 0);
  EXPECT_EQ(read(ends[0], &started, 1), 0);
  close(ends[0]);
  while (waitpid(middle, nullptr, 0) < 0) ASSERT_EQ(errno, EINTR);
}

// The shell ends at once, and the process that it started stays.
pid_t leave_behind(const TemporaryFolder& folder, const std::string& mark) {
  Process shell = start_shell("sleep 1000 & echo $!", {.environment = {{"SURETY_TEST_MARK", mark}},
                                                       .output = folder.path() / "pid"});
  EXPECT_TRUE(shell.wait(kTestPatience));
  return static_cast<pid_t>(std::stol(read_file(folder.path() / "pid").value()));
}

TEST(Process, ThatWasLeftBehindIsFoundByItsEnvironment) {
  const TemporaryFolder folder;
  const std::string mark = folder.path().string();
  const pid_t pid = leave_behind(folder, mark);
  // A child that has not started its program yet is not found.
  std::vector<RunningProcess> found;
  ASSERT_TRUE(wait_until("the process that was left behind", [&] {
    found = find_processes("SURETY_TEST_MARK", mark);
    return found.size() == 1;
  }));
  EXPECT_EQ(found[0].pid, pid);
  EXPECT_EQ(found[0].environment.at("SURETY_TEST_MARK"), mark);
  EXPECT_TRUE(find_processes("SURETY_TEST_MARK", mark + "/").empty());
  Process::adopt(pid)->terminate(kTestPatience);
}

TEST(Process, ThatIsAdoptedIsWatchedAndEndedLikeOurs) {
  const TemporaryFolder folder;
  auto adopted = Process::adopt(leave_behind(folder, folder.path().string()));
  ASSERT_TRUE(adopted);
  EXPECT_FALSE(adopted->poll());
  adopted->send_signal(SIGTERM);
  const auto status = adopted->wait(kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->ok());  // Only its parent knows how it ended.
  EXPECT_EQ(status->text(), "ended");
  EXPECT_TRUE(find_processes("SURETY_TEST_MARK", folder.path().string()).empty());
}

// The kernel sends SIGHUP to a stopped process whose parent dies.
TEST(Process, OfAGroupOfItsOwnDoesNotEndByAHangup) {
  std::signal(SIGHUP, SIG_DFL);  // The tests may run under nohup.
  Process own = start_shell("kill -HUP $$; exit 7", {.own_process_group = true});
  EXPECT_EQ(own.wait(kTestPatience)->code, 7);
  Process other = start_shell("kill -HUP $$; exit 7");
  EXPECT_EQ(other.wait(kTestPatience)->signal, SIGHUP);
}

TEST(Process, ThatHasEndedCannotBeAdopted) {
  Process process = start_shell("exit 0");
  ASSERT_TRUE(process.wait(kTestPatience));
  const auto adopted = Process::adopt(process.pid());
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, ErrorCode::kUnavailable);
}

class StopSignals : public ::testing::Test {
 public:
  StopSignals() { count_stop_signals(); }
  ~StopSignals() override {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  }
};

TEST_F(StopSignals, EachIsCountedAndNoneStopsUs) {
  EXPECT_EQ(stop_signals(), 0);
  raise(SIGTERM);
  EXPECT_EQ(stop_signals(), 1);
  raise(SIGINT);
  EXPECT_EQ(stop_signals(), 2);
}

TEST_F(StopSignals, EachEndsUsAtOnceWithItsTextUntilTheyAreCounted) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) {
    EXPECT_EXIT(
        {
          exit_on_stop_signals(130, "stopped: nothing was changed\n");
          raise(signal);
        },
        testing::ExitedWithCode(130), "stopped: nothing was changed");
  }
  exit_on_stop_signals(130, "stopped\n");
  count_stop_signals();
  raise(SIGTERM);
  EXPECT_EQ(stop_signals(), 1);
}

// The shell and the kernel may both send the signal.
TEST_F(StopSignals, AClosedTerminalIsOneHoweverOftenItIsTold) {
  raise(SIGHUP);
  raise(SIGHUP);
  EXPECT_EQ(stop_signals(), 1);
}

TEST_F(StopSignals, ALostReaderIsOneHoweverMuchIsPrinted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
  const auto first = ::write(STDERR_FILENO, "x", 1);
  const auto second = ::write(STDERR_FILENO, "x", 1);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  EXPECT_EQ(first, -1);
  EXPECT_EQ(second, 1);  // The second byte was written to /dev/null.
  EXPECT_EQ(stop_signals(), 1);
}

TEST_F(StopSignals, ABrokenPipeThatIsNoOutputIsNone) {
  raise(SIGPIPE);
  EXPECT_EQ(stop_signals(), 0);
}

TEST_F(StopSignals, UnderNohupAClosedTerminalIsNone) {
  std::signal(SIGHUP, SIG_IGN);
  count_stop_signals();
  raise(SIGHUP);
  EXPECT_EQ(stop_signals(), 0);
}

}  // namespace process_posix_test
}  // namespace surety::posix
