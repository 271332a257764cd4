// The single event queue of a simulated cluster.
//
// The queue defines the time. Events at the same instant happen in the order in which they were
// added, so that a run depends on its seed alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"

namespace surety::sim {

class EventQueue {
 public:
  using Action = std::function<void()>;

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }  // Events that have happened.

  // A time in the past counts as now. To cancel an event, make its action do nothing.
  void at(double time_s, Action action) {
    queue_.push({std::max(time_s, now_s_), ++last_, std::move(action)});
  }
  void after(double seconds, Action action) { at(now_s_ + seconds, std::move(action)); }

  // Runs the next event. False if there is none. O(log(events waiting)).
  bool run_next() {
    if (queue_.empty()) return false;
    // The heap's top is const, but it is removed at once, so its action can be moved out.
    Entry entry = std::move(const_cast<Entry&>(queue_.top()));
    queue_.pop();
    SURETY_CHECK(entry.time_s >= now_s_);
    now_s_ = entry.time_s;
    ++events_;
    entry.action();
    return true;
  }

 private:
  struct Entry {
    double time_s = 0;
    std::uint64_t number = 0;
    Action action;
    friend bool operator<(const Entry& a, const Entry& b) {  // The heap's top is the largest.
      return std::pair(a.time_s, a.number) > std::pair(b.time_s, b.number);
    }
  };
  std::priority_queue<Entry> queue_;
  std::uint64_t last_ = 0;
  std::uint64_t events_ = 0;
  double now_s_ = 0;
};

}  // namespace surety::sim
