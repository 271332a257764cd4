// After a process was stopped for a while, messages of workers may still be in its sockets. Its
// threads must read them before any worker counts as silent.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "base/time.h"

namespace surety::runtime {

class CatchUp {
 public:
  static constexpr Duration kStopped = std::chrono::seconds(1);
  static constexpr Duration kReading = std::chrono::milliseconds(300);

  // Returns the time that the reading threads still need. Call it at each turn, more often than
  // every kStopped.
  [[nodiscard]] Duration pause(Time now) {
    const std::optional<Time> before = std::exchange(last_, now);
    return before && now - *before > kStopped ? kReading : Duration::zero();
  }

 private:
  std::optional<Time> last_;
};

}  // namespace surety::runtime
