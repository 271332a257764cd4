#include "bench/environment.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/posix/worker_environment.h"

namespace surety::bench {

void with_worker_environment(char** argv) {
  static constexpr const char* kDone = "SURETY_BENCH_ENVIRONMENT";
  if (std::getenv(kDone) != nullptr) return;
  for (const auto& [name, value] : posix::thread_settings(1)) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  ::setenv(kDone, "1", 1);
  ::execv("/proc/self/exe", argv);
  std::perror("cannot start again with the worker's environment; continuing without it");
}

}  // namespace surety::bench
