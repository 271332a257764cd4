#include "base/posix/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace surety::posix {

Result<FileLock> FileLock::take(const std::filesystem::path& path) {
  SURETY_TRY(Fd fd, open_fd(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK) {
    return fail(ErrorCode::kUnavailable, "{}: locked by another process", path.string());
  }
  return fail_errno(errno, path, "lock");
}

}  // namespace surety::posix
