// The environment that a worker's launcher sets, for benchmarks that are started without a
// launcher.
#pragma once

namespace surety::bench {

// Sets what OpenBLAS and OpenMP read before main() (kernels for this processor, one thread, no
// spinning), and starts this program again with these settings. Returns if they are already set.
void with_worker_environment(char** argv);

}  // namespace surety::bench
