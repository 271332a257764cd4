// Threads that work on one thing together, seen from pure code: it says what the parts are, and
// somebody else (base/posix/thread_team.h) has the threads.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace surety {

class Team {
 public:
  virtual ~Team() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;

  // Does part(0), ..., part(size() - 1), each once, maybe at the same time; returns when all are
  // done. What they wrote is seen by the caller, and by the parts of the next call.
  // REQUIRES: parts do not write what others read or write, throw nothing, and do not call run().
  virtual void run(const std::function<void(std::size_t)>& part) = 0;

  // One thread's part of what all divide among them: neighbours, nearly as many for each.
  template <typename T>
  [[nodiscard]] std::span<T> part_of(std::span<T> all, std::size_t thread) const {
    const std::size_t first = all.size() * thread / size();
    return all.subspan(first, all.size() * (thread + 1) / size() - first);
  }
};

// One thread that does the parts of many, in turn: same results.
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
