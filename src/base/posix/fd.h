// Code that all file functions use: an owned file descriptor, and errors from errno. If the system
// refuses a call, the error is that of fail_errno().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace surety::posix {

// Owns a file descriptor and closes it.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Fd() { reset(-1); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd);

 private:
  int fd_ = -1;
};

// An error such as "PATH: cannot WHAT: No such file or directory". InvalidInput if the user must
// change something (no such file, no permission). Unavailable if it may work later or elsewhere
// (disk full).
[[nodiscard]] tl::unexpected<Error> fail_errno(int error_number, const std::filesystem::path& path,
                                               std::string_view what);

// open(2) with O_CLOEXEC; restarted after signals.
[[nodiscard]] Result<Fd> open_fd(const std::filesystem::path& path, int flags, unsigned mode = 0);

// The length of the regular file of `fd`. InvalidInput if it is not a regular file.
[[nodiscard]] Result<std::uint64_t> regular_file_length(int fd, const std::filesystem::path& path);

// read(2), restarted after signals. Returns fewer bytes than buffer.size() only at the end.
[[nodiscard]] Result<std::size_t> read_full(int fd, const std::filesystem::path& path,
                                            std::span<std::byte> buffer);

// Writes all bytes at `offset`. After a failure, an unknown part of them is written.
[[nodiscard]] Result<void> write_at(int fd, const std::filesystem::path& path,
                                    std::span<const std::byte> bytes, std::uint64_t offset);

// Makes the file names in the folder of `path` durable.
[[nodiscard]] Result<void> sync_folder_of(const std::filesystem::path& path);

}  // namespace surety::posix
