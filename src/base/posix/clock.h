// The clocks of this project. Other code reads no clock, except that calls of gRPC
// (runtime/control, runtime/etcd) compute their deadlines from std::chrono::system_clock.
#pragma once

#include "base/time.h"

namespace surety::posix {

[[nodiscard]] Time now();  // The monotonic clock.
// Monotonic clock that also counts while the machine sleeps.
[[nodiscard]] Time boot_time_now();
[[nodiscard]] double unix_seconds();  // Wall clock, for users and files.

}  // namespace surety::posix
