// The only place where a clock is read.
#pragma once

#include "base/time.h"

namespace surety::posix {

[[nodiscard]] Time now();                    // Monotonic.
[[nodiscard]] Time now_through_sleep();      // Monotonic, and goes on while the machine sleeps.
[[nodiscard]] double unix_seconds();         // Wall clock, for people and files.
[[nodiscard]] double process_cpu_seconds();  // User and system time of this process.

}  // namespace surety::posix
