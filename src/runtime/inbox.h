// A queue between threads: many put, one takes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/time.h"

namespace surety::runtime {

template <typename T>
class Inbox {
 public:
  void put(T value) {
    {
      const std::lock_guard lock(mutex_);
      values_.push_back(std::move(value));
    }
    arrived_.notify_one();
  }

  // The oldest, or nothing.
  std::optional<T> take() {
    const std::lock_guard lock(mutex_);
    return pop();
  }

  // The oldest, waiting up to `patience` for one.
  std::optional<T> take(Duration patience) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, patience, [&] { return !values_.empty(); });
    return pop();
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return values_.empty();
  }

 private:
  std::optional<T> pop() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> values_;
};

}  // namespace surety::runtime
