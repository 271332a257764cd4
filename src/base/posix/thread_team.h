// A team (base/team.h) of real threads: the caller's and size - 1 others.
//
// A waiting thread polls for a short while and then sleeps. So consecutive parts start within a
// microsecond on free cores. To wake a sleeping thread would take about fifty microseconds. If a
// waiting thread shares its core with the thread that it waits for, it occupies the core only for a
// short while.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/team.h"

namespace surety::posix {

class ThreadTeam final : public Team {
 public:
  // REQUIRES: size >= 1. Throws std::system_error if the system has no more threads.
  explicit ThreadTeam(std::size_t size);
  ~ThreadTeam() override;
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] std::size_t size() const override { return threads_.size() + 1; }
  void run(const std::function<void(std::size_t)>& part) override;

 private:
  void work(std::size_t index);
  // Ends and joins the threads.
  void end();

  // The part of the current call; null ends the threads.
  const std::function<void(std::size_t)>* part_ = nullptr;
  // Each is in its own cache line, so that threads that poll one do not slow down users of the
  // other.
  alignas(64) std::atomic<std::uint32_t> call_{0};  // Number of calls so far.
  alignas(64) std::atomic<std::uint32_t> left_{0};  // Number of other threads that still work.
  std::vector<std::thread> threads_;
};

}  // namespace surety::posix
