#include "base/posix/net/socket_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/posix/fd.h"
#include "base/posix/file.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/temporary_folder.h"

namespace surety::posix {
namespace socket_place_posix_test {

namespace fs = std::filesystem;

fs::path path_of(const SocketPlace& place) { return place.address().substr(kUnixPrefix.size()); }

// A process that listens at the place.
Fd listen_at(const SocketPlace& place) {
  const SocketAddress address = parse_unix_address(place.address()).value();
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(socket.get(), address.get(), address.length), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

TEST(SocketPlace, OnlyThisUserEntersItsFolderWhichGoesWithIt) {
  fs::path folder;
  {
    const SocketPlace place = SocketPlace::in_new_folder("control").value();
    folder = path_of(place).parent_path();
    const Fd listener = listen_at(place);
    struct stat found {};
    ASSERT_EQ(::stat(folder.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & ACCESSPERMS, 0700u);
    EXPECT_TRUE(fs::is_socket(path_of(place)));
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST(SocketPlace, AFolderWithTheFilesOfOthersStays) {
  const TemporaryFolder files;
  fs::path folder;
  {
    const SocketPlace place = SocketPlace::in_new_folder("control").value();
    folder = path_of(place).parent_path();
    ASSERT_TRUE(write_file_atomically(folder / "notes", "text"));
  }
  EXPECT_TRUE(fs::exists(folder / "notes"));
  fs::remove_all(folder);
}

TEST(SocketPlace, SocketsBesideItAreRemovedByTheirOwnersOrWithTheFolder) {
  std::optional<SocketPlace> place(SocketPlace::in_new_folder("control").value());
  const std::string address = place->address();
  std::optional<SocketPlace> one(SocketPlace::beside(address, "worker-1").value());
  std::optional<SocketPlace> other(SocketPlace::beside(address, "worker-2").value());
  const Fd first = listen_at(*one);
  const Fd second = listen_at(*other);  // Its process is killed.
  const fs::path folder = path_of(*one).parent_path();
  EXPECT_EQ(path_of(*place).parent_path(), folder);
  one.reset();
  EXPECT_FALSE(fs::exists(folder / "worker-1"));
  EXPECT_TRUE(fs::exists(folder / "worker-2"));
  place.reset();
  EXPECT_FALSE(fs::exists(folder));
}

TEST(SocketPlace, ThePlaceOfAKilledProcessIsTakenAgainAndThatOfALivingOneIsNot) {
  const SocketPlace first = SocketPlace::in_new_folder("control").value();
  Fd listener = listen_at(first);
  const auto taken = SocketPlace::again(first.address());
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, testing::HasSubstr("a process listens there"));
  listener.reset(-1);  // The kernel leaves the file, as after a kill.
  ASSERT_TRUE(fs::exists(path_of(first)));
  const auto again = SocketPlace::again(first.address());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->address(), first.address());
  listener = listen_at(*again);
}

TEST(SocketPlace, AFolderThatIsGoneIsMadeAgain) {
  std::string address;
  { address = SocketPlace::in_new_folder("control").value().address(); }
  const auto again = SocketPlace::again(address);
  ASSERT_TRUE(again) << again.error().message;
  const Fd listener = listen_at(*again);
}

TEST(SocketPlace, NoOtherFolderIsTakenForOne) {
  const TemporaryFolder folder;
  const auto refuses = [](const fs::path& socket) {
    return !SocketPlace::again(fmt::format("{}{}", kUnixPrefix, socket.string()));
  };
  fs::create_directory(folder.path() / "keys");
  fs::permissions(folder.path() / "keys", fs::perms::owner_all);
  // A folder of sockets has another name.
  EXPECT_TRUE(refuses(folder.path() / "keys" / "control"));
  fs::create_directory(folder.path() / "surety-open");
  fs::permissions(folder.path() / "surety-open", fs::perms::owner_all | fs::perms::group_exec);
  EXPECT_TRUE(refuses(folder.path() / "surety-open" / "control"));
  fs::create_directory_symlink(folder.path() / "keys", folder.path() / "surety-link");
  EXPECT_TRUE(refuses(folder.path() / "surety-link" / "control"));
  EXPECT_TRUE(refuses("surety-relative/control"));
  EXPECT_FALSE(SocketPlace::again("127.0.0.1:1"));
  EXPECT_FALSE(SocketPlace::beside("127.0.0.1:1", "worker"));
  EXPECT_FALSE(SocketPlace::beside(
      fmt::format("{}{}", kUnixPrefix, (folder.path() / "surety-open" / "control").string()),
      "worker"));
}

}  // namespace socket_place_posix_test
}  // namespace surety::posix
