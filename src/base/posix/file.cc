#include "base/posix/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/posix/fd.h"

namespace surety::posix {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(Fd fd, std::filesystem::path path)
      : fd_(std::move(fd)), path_(std::move(path)), name_(path_.string()) {}

  Result<std::size_t> read(std::span<std::byte> buffer) override {
    return read_full(fd_.get(), path_, buffer);
  }
  const std::string& name() const override { return name_; }

 private:
  Fd fd_;
  std::filesystem::path path_;
  std::string name_;
};

// A name that no other writer uses at the same time, in this process or another. The next process
// with the same id overwrites a file that a crash left behind.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> writes = 0;
  return path.string() + fmt::format(".{}-{}.tmp", ::getpid(), writes.fetch_add(1));
}

enum class Sync : std::uint8_t { kYes, kNo };

constexpr unsigned kModeByUmask = 0666;
constexpr unsigned kModeSecret = 0600;

Result<void> write_all(const std::filesystem::path& path, std::span<const std::byte> bytes,
                       Sync sync, unsigned mode) {
  SURETY_TRY(const Fd fd, open_fd(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode));
  SURETY_TRY(write_at(fd.get(), path, bytes, 0));
  if (sync == Sync::kYes && ::fsync(fd.get()) != 0) return fail_errno(errno, path, "sync");
  return {};
}

Result<void> replace(const std::filesystem::path& path, std::span<const std::byte> bytes, Sync sync,
                     unsigned mode = kModeByUmask) {
  const std::filesystem::path beside = temporary_beside(path);
  const Result<void> written = write_all(beside, bytes, sync, mode);
  if (!written) {
    ::unlink(beside.c_str());
    return written;
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(beside.c_str());
    return fail_errno(error_number, path, "replace");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path) {
  // O_NONBLOCK makes a pipe without a writer an error; without it, open would wait for a writer.
  SURETY_TRY(Fd fd, open_fd(path, O_RDONLY | O_NONBLOCK));
  SURETY_TRY(regular_file_length(fd.get(), path));
  return std::make_unique<FileSource>(std::move(fd), path);
}

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t bytes_max) {
  SURETY_TRY(const Fd fd, open_fd(path, O_RDONLY | O_NONBLOCK));
  SURETY_TRY(const std::uint64_t length, regular_file_length(fd.get(), path));
  if (length > bytes_max) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} bytes, expected at most {}", path.string(),
                length, bytes_max);
  }
  std::string text(length, '\0');
  const auto buffer = std::as_writable_bytes(std::span(text));
  SURETY_TRY(const std::size_t count, read_full(fd.get(), path, buffer));
  text.resize(count);  // Shorter if another process has truncated the file meanwhile.
  return text;
}

Result<void> write_file_atomically(const std::filesystem::path& path,
                                   std::span<const std::byte> bytes) {
  SURETY_TRY(replace(path, bytes, Sync::kYes));
  return sync_folder_of(path);
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  return write_file_atomically(path, std::as_bytes(std::span(text)));
}

Result<void> write_secret_file(const std::filesystem::path& path, std::string_view text) {
  SURETY_TRY(replace(path, std::as_bytes(std::span(text)), Sync::kYes, kModeSecret));
  return sync_folder_of(path);
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view text) {
  return replace(path, std::as_bytes(std::span(text)), Sync::kNo);
}

Result<void> sync_file(const std::filesystem::path& path) {
  SURETY_TRY(const Fd fd, open_fd(path, O_RDONLY));
  // Like in sync_folder_of(): some network file systems have no fsync for folders.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail_errno(errno, path, "sync");
  return {};
}

}  // namespace surety::posix
