// The environment that a worker process must have before it starts: libraries read it only then.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace surety::runtime {

// - OMP_WAIT_POLICY=passive: threads that spin while they wait are ten times slower than one thread
//   where cores are shared.
// - OPENBLAS_CORETYPE: OpenBLAS 0.3.21 takes new server CPUs for a Prescott, at a fifth of the
// speed.
// - OMP_NUM_THREADS, OPENBLAS_NUM_THREADS: the worker's share of the cores.
// - UCX_TLS etc. are the transport's own affair (fabric/ucx).
// Variables that are set already are left alone, so that a user's word counts.
[[nodiscard]] std::map<std::string, std::string> worker_environment(std::uint32_t threads);

}  // namespace surety::runtime
