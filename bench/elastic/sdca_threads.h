// What a second thread is worth to a task: seconds on the wall to a duality gap with two threads
// and with one, and how many passes each takes.
//
// Runs of both alternate. Seconds on the wall mean something on two free cores only, so the load of
// the machine is printed beside them.
#pragma once

#include "bench/report.h"

namespace surety::bench {

// sdca_threads_text, sdca_threads_sparse and sdca_threads_dense, each /1e-3 and /1e-6. False where
// training failed.
[[nodiscard]] bool measure_sdca_threads(const Options& options, Report& report);

}  // namespace surety::bench
