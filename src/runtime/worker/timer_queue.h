// Numbered timers in the order in which they are due.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/time.h"

namespace surety::runtime {

class TimerQueue {
 public:
  void set(Time due, std::uint64_t timer) { timers_.emplace(due, timer); }

  // Time until the next timer is due; Duration::max() if there is no timer.
  [[nodiscard]] Duration until_next(Time now) const {
    if (timers_.empty()) return Duration::max();
    return std::max(Duration::zero(), timers_.begin()->first - now);
  }

  // Removes the timers that are due, and returns their numbers in the order of their times.
  [[nodiscard]] std::vector<std::uint64_t> take_due(Time now) {
    std::vector<std::uint64_t> due;
    const auto end = timers_.upper_bound(now);
    for (auto timer = timers_.begin(); timer != end; ++timer) due.push_back(timer->second);
    timers_.erase(timers_.begin(), end);
    return due;
  }

 private:
  std::multimap<Time, std::uint64_t> timers_;
};

}  // namespace surety::runtime
