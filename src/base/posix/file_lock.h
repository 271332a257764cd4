// A lock on a file: at most one process has it, and it goes with that process however it ends.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "base/posix/fd.h"
#include "base/result.h"

namespace surety::posix {

class FileLock {
 public:
  // Makes the file where there is none; never waits. Unavailable where another process, or another
  // FileLock of this one, has it. What is done to the file by others is not its affair: the lock
  // binds only those who ask for it (flock(2)).
  [[nodiscard]] static Result<FileLock> take(const std::filesystem::path& path);

  // Whether a process of this machine has it; none where the kernel does not say. Takes nothing, so
  // that nobody who asks for the lock meanwhile is refused.
  [[nodiscard]] static std::optional<bool> is_taken(const std::filesystem::path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;  // The lock is its; children do not inherit it.
};

}  // namespace surety::posix
