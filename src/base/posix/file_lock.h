// A lock on a file: at most one process has it, and it goes with that process however it ends.
#pragma once

#include <filesystem>

#include "base/posix/fd.h"
#include "base/result.h"

namespace surety::posix {

class FileLock {
 public:
  // Makes the file where there is none; never waits. Unavailable where another process, or another
  // FileLock of this one, has it. What is done to the file by others is not its affair: the lock
  // binds only those who ask for it (flock(2)).
  [[nodiscard]] static Result<FileLock> take(const std::filesystem::path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;  // The lock is its; children do not inherit it.
};

}  // namespace surety::posix
