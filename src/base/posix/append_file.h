// A file that only grows. Bytes are durable after sync(). After a failed append the file is
// truncated to its last valid length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace surety::posix {

class AppendFile {
 public:
  // Opens or creates the file, truncates it to `length` (the valid length that a reader found), and
  // appends from there. Corrupt if the file is shorter. Other errors are those of fail_errno() and
  // regular_file_length().
  [[nodiscard]] static Result<AppendFile> open(const std::filesystem::path& path,
                                               std::uint64_t length);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  // Unavailable if the file is no longer at its path, and Corrupt if it was cut. Other errors are
  // those of fail_errno().
  [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> sync();  // Calls fdatasync().
  [[nodiscard]] std::uint64_t length() const { return length_; }

 private:
  AppendFile(int fd, std::filesystem::path path, std::uint64_t length);
  [[nodiscard]] Result<void> check_in_place() const;
  int fd_ = -1;
  std::filesystem::path path_;
  std::uint64_t length_ = 0;
};

}  // namespace surety::posix
