#include "base/posix/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/posix/fd.h"

namespace surety::posix {

AppendFile::AppendFile(int fd, std::filesystem::path path, std::uint64_t length)
    : fd_(fd), path_(std::move(path)), length_(length) {}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), length_(other.length_) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(length_, other.length_);
  return *this;
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<AppendFile> AppendFile::open(const std::filesystem::path& path, std::uint64_t length) {
  SURETY_TRY(Fd fd, open_fd(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666));
  SURETY_TRY(const std::uint64_t found, regular_file_length(fd.get(), path));
  if (found < length) {
    return fail(ErrorCode::kCorrupt, "{}: found {} bytes, expected at least {}", path.string(),
                found, length);
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(length)) != 0) {
    return fail_errno(errno, path, "truncate");
  }
  SURETY_TRY(sync_folder_of(path));  // The file may be new.
  return AppendFile(fd.release(), path, length);
}

// A program or a person may have removed, replaced or cut the file. Later data would then be
// lost without notice.
Result<void> AppendFile::check_in_place() const {
  struct stat ours {};
  if (::fstat(fd_, &ours) != 0) return fail_errno(errno, path_, "look at");
  struct stat there {};
  const bool is_known = ::stat(path_.c_str(), &there) == 0;
  if (!is_known && (errno == ENOENT || errno == ENOTDIR)) {
    return fail(ErrorCode::kUnavailable, "{}: the file was removed while it was being written",
                path_.string());
  }
  if (is_known && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev)) {
    return fail(ErrorCode::kUnavailable,
                "{}: the file was replaced by another one while it was being written",
                path_.string());
  }
  if (static_cast<std::uint64_t>(ours.st_size) < length_) {
    return fail(ErrorCode::kCorrupt,
                "{}: found {} bytes, expected {}: the file was cut while it was being written",
                path_.string(), ours.st_size, length_);
  }
  return {};
}

Result<void> AppendFile::append(std::span<const std::byte> bytes) {
  SURETY_CHECK(fd_ >= 0);
  SURETY_TRY(check_in_place());
  const Result<void> written = write_at(fd_, path_, bytes, length_);
  if (!written) {
    // If even this fails, the next append overwrites the torn tail, or a reader cuts it off.
    [[maybe_unused]] const int ignored = ::ftruncate(fd_, static_cast<off_t>(length_));
    return written;
  }
  length_ += bytes.size();
  return {};
}

Result<void> AppendFile::sync() {
  SURETY_CHECK(fd_ >= 0);
  if (::fdatasync(fd_) != 0) return fail_errno(errno, path_, "sync");
  return check_in_place();
}

}  // namespace surety::posix
