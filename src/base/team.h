// Threads that work together, as seen from pure code. The code defines the parts; the threads are
// elsewhere (base/posix/thread_team.h).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace surety {

class Team {
 public:
  virtual ~Team() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;

  // Calls part(0), ..., part(size() - 1), each once and possibly at the same time; returns when all
  // are done. The caller and the parts of the next call see what the parts wrote.
  // REQUIRES: parts do not write what others read or write, do not throw, and do not call run().
  virtual void run(const std::function<void(std::size_t)>& part) = 0;

  // One thread's share of `all`: consecutive elements, nearly as many for each thread.
  template <typename T>
  [[nodiscard]] std::span<T> part_of(std::span<T> all, std::size_t thread) const {
    const std::size_t first = all.size() * thread / size();
    return all.subspan(first, all.size() * (thread + 1) / size() - first);
  }
};

// One thread that does the parts of many threads in turn, with the same results.
class SerialTeam final : public Team {
 public:
  explicit SerialTeam(std::size_t size) : size_(size) {}
  [[nodiscard]] std::size_t size() const override { return size_; }
  void run(const std::function<void(std::size_t)>& part) override {
    for (std::size_t i = 0; i < size_; ++i) part(i);
  }

 private:
  std::size_t size_;
};

}  // namespace surety
