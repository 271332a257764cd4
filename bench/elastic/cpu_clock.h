// CPU seconds: what a machine that others use too can measure.
#pragma once

#include <ctime>

namespace surety::bench {

inline double cpu_s_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[nodiscard]] inline double thread_cpu_s() { return cpu_s_of(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace surety::bench
