// Whether a run has a later coordinator than the one that a worker is bound to: one that was
// elected while the other is stopped, or cut off, and so closes no connection.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/coordinator_file.h"

namespace surety::runtime {

// The run's coordinator by its folder, where it is later than `epoch`.
[[nodiscard]] std::optional<CoordinatorFile> later_coordinator(const std::filesystem::path& run,
                                                               std::uint32_t epoch);

class SuccessorWatch {
 public:
  // A hand-over should take seconds, and a look opens a file of a line.
  static constexpr std::chrono::milliseconds kLook{200};

  // Calls `found` once, from a thread of its own.
  SuccessorWatch(std::filesystem::path run, std::uint32_t epoch,
                 std::function<void(const CoordinatorFile&)> found);
  ~SuccessorWatch();
  SuccessorWatch(const SuccessorWatch&) = delete;
  SuccessorWatch& operator=(const SuccessorWatch&) = delete;

 private:
  void run();
  const std::filesystem::path run_;
  const std::uint32_t epoch_;
  const std::function<void(const CoordinatorFile&)> found_;
  std::mutex mutex_;  // stopping_
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace surety::runtime
