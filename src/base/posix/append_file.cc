#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/posix/fd.h"
#include "base/posix/file.h"

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

Result<void> AppendFile::append(std::span<const std::byte> bytes) {
  SURETY_CHECK(fd_ >= 0);
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
  return {};
}

}  // namespace surety::posix
