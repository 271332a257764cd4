// A queue between threads: many threads put values into it, and one thread takes them.
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

  // Takes the oldest value, or nothing if there is none.
  std::optional<T> take() {
    const std::lock_guard lock(mutex_);
    return pop();
  }

  // Takes the oldest value; waits up to `patience` for one.
  std::optional<T> take(Duration patience) {
    wait(patience);
    return take();
  }

  // Waits until there is a value or the inbox is closed, up to `patience`.
  void wait(Duration patience) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, patience, [&] { return !values_.empty() || closed_; });
  }

  // No more values will be put. Ends all waits.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    arrived_.notify_one();
  }

 private:
  std::optional<T> pop() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace surety::runtime
