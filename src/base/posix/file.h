// Files: reading whole files, atomic replacement. If the system refuses a call, the error is that
// of fail_errno() (base/posix/fd.h).
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

// Streams a regular file. InvalidInput if it is missing, a folder or not readable.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path);

// Reads the whole file. InvalidInput, before memory is allocated, if it is larger than `bytes_max`.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::uint64_t bytes_max = 1ull << 30);

// Writes a temporary file, fsyncs it, renames it to `path`, and fsyncs the folder. A reader sees
// either the old or the new bytes, also after a power failure. Unavailable if the disk is full; the
// old file stays then.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path,
                                                 std::span<const std::byte> bytes);
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path,
                                                 std::string_view text);

// Like write_file_atomically(), but only this user can read the file, from its first byte on.
[[nodiscard]] Result<void> write_secret_file(const std::filesystem::path& path,
                                             std::string_view text);

// Like write_file_atomically(), for contents that can be made again. A reader sees either the old
// or the new bytes; but after a power failure both may be lost, unless sync_file() was called.
[[nodiscard]] Result<void> replace_file(const std::filesystem::path& path, std::string_view text);
// When it returns, all bytes that any process has written to this file are on the disk. For a
// folder, its new names are on the disk.
[[nodiscard]] Result<void> sync_file(const std::filesystem::path& path);

}  // namespace surety::posix
