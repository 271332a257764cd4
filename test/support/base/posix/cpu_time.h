// The processor time of this process, which tests and benchmarks measure.
#pragma once

namespace surety::posix {

[[nodiscard]] double process_cpu_seconds();  // User and system time of all threads.

}  // namespace surety::posix
