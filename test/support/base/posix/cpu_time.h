// The CPU time of this process, for tests and benchmarks.
#pragma once

namespace surety::posix {

[[nodiscard]] double process_cpu_seconds();  // User and system time of all threads.

}  // namespace surety::posix
