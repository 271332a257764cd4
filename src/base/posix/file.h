// Files: whole reads, atomic replacement, durable appends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"

namespace surety::posix {

// Streams a regular file. InvalidInput where it is missing, a folder or not readable.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path);

// The whole file. Refuses (InvalidInput) what is larger than `bytes_max`, before allocating.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::uint64_t bytes_max = 1ull << 30);

// Writes beside, fsyncs, renames over `path`, fsyncs the folder: a reader, and a machine that loses
// power, sees the old bytes or the new ones. Unavailable where the disk is full; the old file
// stays.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path,
                                                 std::span<const std::byte> bytes);
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path,
                                                 std::string_view text);

// The same, and only this user may read it, from the first byte on.
[[nodiscard]] Result<void> write_secret_file(const std::filesystem::path& path,
                                             std::string_view text);

// The same as write_file_atomically() for what can be made again: a reader sees the old bytes or
// the new ones, but a machine that loses power may have neither, until sync_file().
[[nodiscard]] Result<void> replace_file(const std::filesystem::path& path, std::string_view text);
// What was written to this file, by whomever, is on the disk when it returns; a folder's new names
// are, where `path` is a folder.
[[nodiscard]] Result<void> sync_file(const std::filesystem::path& path);

// A file that only grows. After a failed append the file is cut back to its last good length.
class AppendFile {
 public:
  // Opens or creates, cuts to `length` (what a reader found valid), and appends from there.
  [[nodiscard]] static Result<AppendFile> open(const std::filesystem::path& path,
                                               std::uint64_t length);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> sync();  // fdatasync
  [[nodiscard]] std::uint64_t length() const { return length_; }

 private:
  AppendFile(int fd, std::filesystem::path path, std::uint64_t length);
  int fd_ = -1;
  std::filesystem::path path_;
  std::uint64_t length_ = 0;
};

}  // namespace surety::posix
