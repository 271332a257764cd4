#include "test/support/base/posix/cpu_time.h"

#include <time.h>

#include "base/check.h"

namespace surety::posix {

double process_cpu_seconds() {
  timespec value{};
  SURETY_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &value) ==
               0);  // Only an unknown clock fails.
  return static_cast<double>(value.tv_sec) + static_cast<double>(value.tv_nsec) * 1e-9;
}

}  // namespace surety::posix
