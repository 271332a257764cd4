// The environment that a worker's launcher sets, for a benchmark that nobody launches.
#pragma once

namespace surety::bench {

// Sets what OpenBLAS and OpenMP read before main() (kernels for this processor, one thread, no
// spinning) and starts this very program again with it; returns where it is set already.
void with_worker_environment(char** argv);

}  // namespace surety::bench
