// A lock on a file. At most one process has it, and loses it when the process ends in any way.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "base/posix/fd.h"
#include "base/result.h"

namespace surety::posix {

class FileLock {
 public:
  // Takes the lock without waiting; creates the file if it does not exist. Unavailable if another
  // process, or another FileLock of this process, has the lock. The lock is advisory (flock(2)): it
  // does not stop other processes from changing the file.
  [[nodiscard]] static Result<FileLock> take(const std::filesystem::path& path);

  // Whether a process of this machine has the lock; nullopt if the kernel does not tell. It takes
  // no lock, so it never causes another process to be refused.
  [[nodiscard]] static std::optional<bool> is_taken(const std::filesystem::path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;  // Holds the lock; children do not inherit it.
};

}  // namespace surety::posix
