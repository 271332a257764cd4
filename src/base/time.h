// Points in time and durations. There is no now() here: only a shell (base/posix/clock.h) can read
// a clock, and cores get the time as an argument.
#pragma once

#include <chrono>

namespace surety {

using Duration = std::chrono::nanoseconds;

// Time since a fixed but unknown instant; only differences have a meaning.
struct MonotonicClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
using Time = MonotonicClock::time_point;

[[nodiscard]] constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
[[nodiscard]] constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace surety
