#include "base/posix/clock.h"

#include <time.h>

#include "base/check.h"

namespace surety::posix {
namespace {

timespec read_clock(clockid_t clock) {
  timespec value{};
  SURETY_CHECK(clock_gettime(clock, &value) == 0);  // Only an unknown clock fails.
  return value;
}

double seconds_of(const timespec& value) {
  return static_cast<double>(value.tv_sec) + static_cast<double>(value.tv_nsec) * 1e-9;
}

Time time_of(const timespec& value) {
  return Time(std::chrono::seconds(value.tv_sec) + std::chrono::nanoseconds(value.tv_nsec));
}

}  // namespace

Time now() { return time_of(read_clock(CLOCK_MONOTONIC)); }

Time boot_time_now() { return time_of(read_clock(CLOCK_BOOTTIME)); }

double unix_seconds() { return seconds_of(read_clock(CLOCK_REALTIME)); }

}  // namespace surety::posix
