// A team (base/team.h) of real threads: the caller's and size - 1 others.
//
// Who waits looks again and again for a short while, and sleeps then: parts that follow on one
// another start within a microsecond on free cores, where waking a thread takes some fifty, while a
// thread that shares its core with the one that it waits for keeps it for a short while only.
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
  // REQUIRES: size >= 1.
  explicit ThreadTeam(std::size_t size);
  ~ThreadTeam() override;
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] std::size_t size() const override { return threads_.size() + 1; }
  void run(const std::function<void(std::size_t)>& part) override;

 private:
  void work(std::size_t index);

  const std::function<void(std::size_t)>* part_ = nullptr;  // Of the call in hand; null: the end.
  // On lines of their own: who waits for one is not to slow down those who use the other.
  alignas(64) std::atomic<std::uint32_t> call_{0};  // Grows with every call.
  alignas(64) std::atomic<std::uint32_t> left_{0};  // Other threads still at work.
  std::vector<std::thread> threads_;
};

}  // namespace surety::posix
