// The environment that a worker process needs before it starts: libraries read it only at the
// start.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace surety::posix {

// - OMP_WAIT_POLICY=passive: threads that spin while they wait are ten times slower than one thread
//   if cores are shared.
// - OPENBLAS_CORETYPE: OpenBLAS 0.3.21 takes new server CPUs for a Prescott, and is then five times
//   slower.
// - OPENBLAS_THREAD_TIMEOUT: a thread of OpenBLAS that has nothing to do sleeps after 2^14 cycles.
//   Without it, it yields for 2^26 cycles, some 30 ms, and so it nearly never sleeps.
// - OMP_NUM_THREADS, OPENBLAS_NUM_THREADS: the worker's share of the cores.
[[nodiscard]] std::map<std::string, std::string> thread_settings(std::uint32_t threads);

// The same without variables that are already set, so that the user can override these.
[[nodiscard]] std::map<std::string, std::string> worker_environment(std::uint32_t threads);

}  // namespace surety::posix
