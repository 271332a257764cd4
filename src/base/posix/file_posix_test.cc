#include "base/posix/append_file.h"
#include "base/posix/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <sched.h>
#include <csignal>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "base/posix/fd.h"
#include "base/posix/file_lock.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"

namespace surety::posix {
namespace file_posix_test {

using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void put(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// While it lives, no file of this process can grow beyond a length: writes stop in the middle.
class FileLengthLimit {
 public:
  explicit FileLengthLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLengthLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  put(folder.path() / "a", std::string("x\0y\n", 4));
  EXPECT_EQ(read_file(folder.path() / "a").value(), std::string("x\0y\n", 4));
  put(folder.path() / "empty", "");
  EXPECT_EQ(read_file(folder.path() / "empty").value(), "");
}

TEST(ReadFile, RefusesWhatIsLongerThanAllowed) {
  const TemporaryFolder folder;
  put(folder.path() / "a", "12345");
  EXPECT_TRUE(read_file(folder.path() / "a", 5));
  const Error error = read_file(folder.path() / "a", 4).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("a: found 5 bytes, expected at most 4"));
}

TEST(ReadFile, RefusesMissingFilesFoldersPipesAndDevices) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const auto socket = Fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  (folder.path() / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const std::filesystem::path& path :
       {folder.path() / "none", folder.path(), folder.path() / "pipe", folder.path() / "socket",
        std::filesystem::path("/dev/zero")}) {
    const auto text = read_file(path);
    const auto source = open_file(path);
    ASSERT_FALSE(text || source) << path;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(source.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(source.error().message, HasSubstr(path.string()));
  }
}

TEST(OpenFile, StreamsInPiecesToTheEnd) {
  const TemporaryFolder folder;
  put(folder.path() / "a", "abcde");
  auto source = open_file(folder.path() / "a");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->name(), (folder.path() / "a").string());
  std::vector<std::byte> buffer(3);
  EXPECT_EQ((*source)->read(buffer).value(), 3u);
  EXPECT_EQ((*source)->read(buffer).value(), 2u);
  EXPECT_EQ(static_cast<char>(buffer[1]), 'e');
  EXPECT_EQ((*source)->read(buffer).value(), 0u);
}

TEST(WriteAtomically, ReplacesTheFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  ASSERT_TRUE(write_file_atomically(path, "new and longer"));
  EXPECT_EQ(read_file(path).value(), "new and longer");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(WriteSecret, IsReadableByItsUserOnly) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "secret";
  ASSERT_TRUE(write_secret_file(path, "abc"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(read_file(path).value(), "abc");
}

TEST(FileLock, IsHeldByOneUntilItGoes) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a";
  {
    const auto first = FileLock::take(path);
    ASSERT_TRUE(first);
    const auto second = FileLock::take(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_TRUE(FileLock::is_taken(path).value_or(true));
    EXPECT_TRUE(write_file_atomically(folder.path() / "b", "not locked"));
  }
  EXPECT_FALSE(FileLock::is_taken(path).value_or(false));
  EXPECT_TRUE(FileLock::take(path));
}

// The workers of a coordinator outlive the coordinator, and must not keep its lock.
TEST(FileLock, IsNotInheritedByChildren) {
  const TemporaryFolder folder;
  std::optional<Process> child;
  {
    const auto lock = FileLock::take(folder.path() / "a");
    ASSERT_TRUE(lock);
    child = Process::start({.argv = {"sleep", "1000"}}).value();
  }
  EXPECT_TRUE(FileLock::take(folder.path() / "a"));
}

TEST(WriteAtomically, FailureInTheMiddleLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  const auto result = [&] {
    const FileLengthLimit limit(1000);
    return write_file_atomically(path, std::string(5000, 'n'));
  }();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(WriteAtomically, MissingFolderIsTheUsersToMake) {
  const TemporaryFolder folder;
  const auto result = write_file_atomically(folder.path() / "none" / "a", "text");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(result.error().message, HasSubstr("No such file or directory"));
}

// Uses a really full disk: a file system of 64 KiB in memory that only this thread sees.
TEST(WriteAtomically, FullDiskIsUnavailableAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a";
  std::optional<Result<void>> result;
  std::string after;
  std::thread([&] {
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0) return;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) return;
    ASSERT_TRUE(write_file_atomically(path, "old"));
    result = write_file_atomically(path, std::string(200'000, 'n'));
    after = read_file(path).value_or("(gone)");
  }).join();
  if (!result) GTEST_SKIP() << "this machine lets us mount no file system to fill";
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(result->error().message, HasSubstr("No space left on device"));
  EXPECT_EQ(after, "old");
}

TEST(AppendFile, CutsTheTornTailAndGoesOnFromThere) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "journal";
  put(path, "record|torn");
  auto file = AppendFile::open(path, 7);
  ASSERT_TRUE(file);
  EXPECT_EQ(read_file(path).value(), "record|");
  ASSERT_TRUE(file->append(bytes_of("next|")));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(file->length(), 12u);
  EXPECT_EQ(read_file(path).value(), "record|next|");
}

TEST(AppendFile, IsCreatedEmpty) {
  const TemporaryFolder folder;
  const auto file = AppendFile::open(folder.path() / "journal", 0);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->length(), 0u);
}

TEST(AppendFile, ShorterThanItsReaderFoundIsCorrupt) {
  const TemporaryFolder folder;
  put(folder.path() / "journal", "123");
  const auto file = AppendFile::open(folder.path() / "journal", 4);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(read_file(folder.path() / "journal").value(), "123");
}

TEST(AppendFile, FailedAppendLeavesTheLastGoodLength) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "journal";
  auto file = AppendFile::open(path, 0);
  ASSERT_TRUE(file && file->append(bytes_of("good|")));
  {
    const FileLengthLimit limit(1000);
    const auto result = file->append(bytes_of(std::string(5000, 'n')));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(read_file(path).value(), "good|");
  ASSERT_TRUE(file->append(bytes_of("again|")));
  EXPECT_EQ(read_file(path).value(), "good|again|");
}

TEST(AppendFile, AFileThatIsNoLongerInItsPlaceIsNotWritten) {
  namespace fs = std::filesystem;
  const std::vector<std::byte> bytes(8);
  const auto error_after = [&](const std::function<void(const fs::path&)>& change) {
    TemporaryFolder folder;
    const fs::path path = folder.path() / "journal";
    AppendFile file = AppendFile::open(path, 0).value();
    EXPECT_TRUE(file.append(bytes));
    change(path);
    EXPECT_FALSE(file.sync());
    const Result<void> appended = file.append(bytes);
    return appended ? "" : appended.error().message;
  };
  EXPECT_THAT(error_after([](const fs::path& path) { fs::remove(path); }),
              HasSubstr("the file was removed"));
  EXPECT_THAT(error_after([](const fs::path& path) { fs::rename(path, path.string() + "-2"); }),
              HasSubstr("the file was removed"));
  EXPECT_THAT(error_after([](const fs::path& path) {
                fs::copy_file(path, path.string() + "-2");
                fs::rename(path.string() + "-2", path);
              }),
              HasSubstr("the file was replaced"));
  EXPECT_THAT(error_after([](const fs::path& path) { fs::resize_file(path, 3); }),
              HasSubstr("found 3 bytes, expected 8: the file was cut"));
}

TEST(AppendFile, MovedFileKeepsAppending) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "journal";
  AppendFile first = AppendFile::open(path, 0).value();
  AppendFile second = std::move(first);
  ASSERT_TRUE(second.append(bytes_of("a")));
  EXPECT_EQ(read_file(path).value(), "a");
}

}  // namespace file_posix_test
}  // namespace surety::posix
