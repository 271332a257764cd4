#include "bench/environment.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/posix/cpu.h"

namespace surety::bench {

void with_worker_environment(char** argv) {
  static constexpr const char* kDone = "SURETY_BENCH_ENVIRONMENT";
  if (std::getenv(kDone) != nullptr) return;
  // OpenBLAS 0.3.21 mistakes newer processors for much older ones, and is then several times
  // slower.
  if (posix::has_avx512f()) {
    ::setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
  } else if (posix::has_avx2()) {
    ::setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  }
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::setenv(kDone, "1", 1);
  ::execv("/proc/self/exe", argv);
  std::perror("cannot start again with the worker's environment; continuing without it");
}

}  // namespace surety::bench
