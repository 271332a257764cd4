#include "base/posix/fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/text.h"

namespace surety::posix {
namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EINVAL:
    case ENAMETOOLONG:
    case ENXIO:  // The file of a device that does not exist.
      return ErrorCode::kInvalidInput;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

tl::unexpected<Error> fail_errno(int error_number, const std::filesystem::path& path,
                                 std::string_view what) {
  return fail(code_of(error_number), "{}: cannot {}: {}",
              plain_text(path.string(), kMessageBytesMax), what,
              std::generic_category().message(error_number));
}

Result<Fd> open_fd(const std::filesystem::path& path, int flags, unsigned mode) {
  while (true) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return Fd(fd);
    if (errno != EINTR) return fail_errno(errno, path, "open");
  }
}

Result<std::uint64_t> regular_file_length(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, path, "examine");
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidInput, "{}: found {}, expected a regular file", path.string(),
                S_ISDIR(status.st_mode) ? "a folder" : "a device, pipe or socket");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t> read_full(int fd, const std::filesystem::path& path,
                              std::span<std::byte> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count = ::read(fd, buffer.data() + done, buffer.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(errno, path, "read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

Result<void> write_at(int fd, const std::filesystem::path& path, std::span<const std::byte> bytes,
                      std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(errno, path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

Result<void> sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  SURETY_TRY(const Fd fd, open_fd(folder, O_RDONLY | O_DIRECTORY));
  // Some network file systems have no fsync for folders and return EINVAL; then nothing can be
  // done.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail_errno(errno, folder, "sync");
  return {};
}

}  // namespace surety::posix
