// Tests which version a program reports, and which commit it was built from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/file.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "cli/commands/runs_test.h"

namespace surety::cli {
namespace version_posix_test {

using ::testing::HasSubstr;

// The version that project() of CMakeLists.txt names.
std::string project_version() {
  const std::string text = posix::read_file("CMakeLists.txt").value();
  std::smatch found;
  return std::regex_search(text, found, std::regex("project\\(surety VERSION ([0-9.]+)"))
             ? found[1].str()
             : "none";
}

bool succeeds(std::vector<std::string> command) {
  auto process = posix::Process::start({.argv = std::move(command)});
  if (!process) return false;
  const auto ended = process->wait(posix::kTestPatience);
  return ended && ended->ok();
}

// Generates version.cc for the sources in `from`, and returns its content.
std::string version_source(const std::filesystem::path& from, const std::filesystem::path& to) {
  EXPECT_TRUE(succeeds({"cmake", "-DVERSION=1.2.3", "-DFROM=" + from.string(),
                        "-DTO=" + to.string(), "-P", "cmake/version.cmake"}));
  return posix::read_file(to).value();
}

TEST(Version, IsTheOneOfTheProjectAndTheCommitIsSaidWithIt) {
  Runs runs;
  const Finished finished = runs.surety({"--version"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.output, HasSubstr("surety " + project_version() + " (commit "));
  EXPECT_TRUE(std::regex_search(
      finished.output, std::regex("\\(commit (unknown|[0-9a-f]{12}(, with changes)?)\\)\n$")))
      << finished.output;
}

TEST(Version, TheCommitIsUnknownWhereTheSourcesAreNoCheckout) {
  const posix::TemporaryFolder folder;
  const std::string source = version_source(folder.path(), folder.path() / "version.cc");
  EXPECT_THAT(source, HasSubstr("kVersion = \"1.2.3\""));
  EXPECT_THAT(source, HasSubstr("kCommit = \"unknown\""));
}

TEST(Version, TheCommitIsThatOfTheSourcesAndChangesToThemAreSaid) {
  const posix::TemporaryFolder folder;
  const std::string root = folder.path() / "sources";
  const std::string to = folder.path() / "version.cc";
  std::filesystem::create_directories(root + "/below");
  if (!succeeds({"git", "init", "--quiet", root})) GTEST_SKIP() << "there is no git";
  ASSERT_TRUE(posix::write_file_atomically(root + "/file", "as it was committed"));
  ASSERT_TRUE(succeeds({"git", "-C", root, "add", "file"}));
  ASSERT_TRUE(succeeds({"git", "-C", root, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit",
                        "--quiet", "--message=First"}));
  const std::string head = posix::read_file(root + "/.git/logs/HEAD").value();
  const std::string commit = head.substr(head.find(' ') + 1, 12);
  EXPECT_THAT(version_source(root, to), HasSubstr("kCommit = \"" + commit + "\""));
  // The sources of another project may lie within a checkout. Its commit is then not theirs.
  EXPECT_THAT(version_source(root + "/below", to), HasSubstr("kCommit = \"unknown\""));
  ASSERT_TRUE(posix::write_file_atomically(root + "/file", "as it is now"));
  EXPECT_THAT(version_source(root, to), HasSubstr("kCommit = \"" + commit + ", with changes\""));
}

TEST(Version, WhatHasNotChangedIsNotCompiledAgain) {
  const posix::TemporaryFolder folder;
  const std::filesystem::path to = folder.path() / "version.cc";
  (void)version_source(folder.path(), to);
  const auto long_ago = std::filesystem::last_write_time(to) - std::chrono::hours(1);
  std::filesystem::last_write_time(to, long_ago);
  (void)version_source(folder.path(), to);
  EXPECT_EQ(std::filesystem::last_write_time(to), long_ago);
}

}  // namespace version_posix_test
}  // namespace surety::cli
