// Which parts of a run other users of the machine can reach, and what a run leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/posix/file.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace security_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

namespace fs = std::filesystem;

constexpr const char* kThree = "cluster={local: 3}";
constexpr const char* kListens = "cluster={local: 2, listen: \"127.0.0.1:0\"}";

// The coordinator and its workers.
std::set<pid_t> processes_of(const posix::Process& run, const Records& journal) {
  std::set<pid_t> pids{run.pid()};
  for (const proto::JournalRecord& record : journal) {
    if (record.has_worker_joined()) pids.insert(static_cast<pid_t>(record.worker_joined().pid()));
  }
  return pids;
}

// The TCP sockets on this machine that listen, as links in /proc/PID/fd name them.
std::set<std::string> listening_sockets() {
  std::set<std::string> links;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      // The state is the fourth word, and the number of the socket is the tenth.
      const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
      if (all.size() > 9 && all[3] == "0A") links.insert("socket:[" + all[9] + "]");
    }
  }
  return links;
}

// How many listening sockets belong to these processes.
std::size_t ports_of(const std::set<pid_t>& pids) {
  const std::set<std::string> listening = listening_sockets();
  std::set<std::string> found;
  for (const pid_t pid : pids) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), error)) {
      const std::string link = fs::read_symlink(entry.path(), error).string();
      if (listening.contains(link)) found.insert(link);
    }
  }
  return found.size();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void interrupt(Runs& runs, posix::Process& run) {
  run.send_signal(SIGINT);
  EXPECT_TRUE(runs.wait_for_output("log", "stopped on request", 1, &run));
  static_cast<void>(run.wait(posix::kTestPatience));
}

TEST(Security, ARunOpensNoPortUnlessOthersMayJoin) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless, {kThree}), "log");
  EXPECT_TRUE(runs.wait_for_passes(1, &run));
  const std::set<pid_t> pids = processes_of(run, runs.journal("run"));
  EXPECT_THAT(pids, SizeIs(4));
  EXPECT_EQ(ports_of(pids), 0u);
  interrupt(runs, run);
}

TEST(Security, WhereOthersMayJoinOnlyTheCoordinatorsPortIsOpenOnLoopback) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless, {kListens}), "log");
  EXPECT_TRUE(runs.wait_for_passes(1, &run));
  EXPECT_EQ(ports_of(processes_of(run, runs.journal("run"))), 1u);
  interrupt(runs, run);
}

TEST(Security, CrashesLeaveNoMemoryInFiles) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless, {kThree}), "log");
  EXPECT_TRUE(runs.wait_for_passes(1, &run));
  for (const pid_t pid : processes_of(run, runs.journal("run"))) {
    std::ifstream limits(fmt::format("/proc/{}/limits", pid));
    std::string most;
    for (std::string line; std::getline(limits, line);) {
      if (line.starts_with("Max core file size")) most = line;
    }
    EXPECT_THAT(most, testing::ContainsRegex("Max core file size +[01] +[01] "));
  }
  interrupt(runs, run);
}

// A coordinator that is killed leaves its socket, so that its workers find the next one there.
TEST(Security, SocketsAreInOneFolderThatGoesWithTheRunAlsoIfItWasKilledAndResumed) {
  Runs runs;
  const fs::path sockets = runs.path("sockets");
  fs::create_directory(sockets);
  const std::map<std::string, std::string> environment{{"TMPDIR", sockets.string()}};
  posix::Process run = runs.start(runs.training(kEndless, {kThree}), "log", environment);
  EXPECT_TRUE(runs.wait_for_passes(1, &run));
  const std::set<std::string> folders = names_in(sockets);
  ASSERT_THAT(folders, SizeIs(1));
  const fs::path folder = sockets / *folders.begin();
  EXPECT_THAT(names_in(folder), AllOf(SizeIs(4), testing::Contains("control")));
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  ASSERT_TRUE(runs.kill(run));
  const std::set<pid_t> before = processes_of(run, runs.journal("run"));
  posix::Process next =
      runs.start({"train", "--resume", "--out", runs.path("run")}, "next", environment);
  const std::size_t passed = passes(runs.journal("run"));
  EXPECT_TRUE(runs.wait_for(
      "another pass", [&](const Records& journal) { return passes(journal) > passed; }, &next));
  EXPECT_EQ(processes_of(run, runs.journal("run")), before);
  EXPECT_EQ(names_in(sockets), folders);
  next.send_signal(SIGINT);
  EXPECT_TRUE(next.wait(posix::kTestPatience));
  EXPECT_THAT(names_in(sockets), IsEmpty());
}

TEST(Security, ProgramsHaveReadOnlyAddressesAndNoMemoryThatIsWrittenAndExecuted) {
  Runs runs;
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path() / "bin";
  for (const char* program : {"surety", "surety-worker"}) {
    posix::Process readelf =
        posix::Process::start({.argv = {"readelf", "--wide", "--segments", "--dynamic",
                                        (programs / program).string()},
                               .environment = {{"LC_ALL", "C"}},
                               .output = runs.path(program)})
            .value();
    ASSERT_TRUE(readelf.wait(posix::kTestPatience));
    const std::string text = runs.output(program);
    EXPECT_THAT(text, AllOf(HasSubstr("Elf file type is DYN"), HasSubstr("GNU_RELRO"),
                            testing::ContainsRegex("FLAGS_1.*NOW.*PIE")));
    EXPECT_THAT(text, Not(testing::ContainsRegex("(LOAD|GNU_STACK).* RWE ")));
    EXPECT_THAT(text, testing::ContainsRegex("GNU_STACK.* RW "));
  }
}

}  // namespace security_posix_test
}  // namespace surety::cli
