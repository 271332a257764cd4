#include "base/posix/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace surety::posix {

Result<FileLock> FileLock::take(const std::filesystem::path& path) {
  SURETY_TRY(Fd fd, open_fd(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK) {
    return fail(ErrorCode::kUnavailable, "{}: locked by another process", path.string());
  }
  return fail_errno(errno, path, "lock");
}

// A line of /proc/locks is "1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE FIRST LAST". For some
// file systems its device differs from that of stat(2), so only the inode is compared.
std::optional<bool> FileLock::is_taken(const std::filesystem::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return false;
  std::ifstream locks("/proc/locks");
  if (!locks) return std::nullopt;
  const std::string inode = fmt::format(":{}", file.st_ino);
  std::string line;
  while (std::getline(locks, line)) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string mode;
    std::string process;
    std::string place;
    words >> number >> kind >> advisory >> mode >> process >> place;
    if (kind == "FLOCK" && place.ends_with(inode)) return true;
  }
  return false;
}

}  // namespace surety::posix
