// Watches for a later coordinator than the coordinator of a worker. A later one may be elected
// while the earlier one is stopped or cut off. Such a coordinator does not close its connections.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "runtime/files/coordinator_file.h"

namespace surety::runtime {

class SuccessorWatch {
 public:
  // Poll interval. A hand-over should take seconds, and a poll reads a file of one line.
  static constexpr std::chrono::milliseconds kPollInterval{200};

  // Calls `found` once, from its own thread.
  SuccessorWatch(std::filesystem::path run, std::uint32_t term,
                 std::function<void(const CoordinatorFile&)> found);
  ~SuccessorWatch();
  SuccessorWatch(const SuccessorWatch&) = delete;
  SuccessorWatch& operator=(const SuccessorWatch&) = delete;

 private:
  void run();
  const std::filesystem::path run_;
  const std::uint32_t term_;
  const std::function<void(const CoordinatorFile&)> found_;
  std::mutex mutex_;  // Guards stopping_.
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // The last member, because it uses all of the above.
};

}  // namespace surety::runtime
