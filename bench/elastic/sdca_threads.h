// The gain of a second thread in a task: wall seconds to a duality gap with two threads and with
// one, and the number of passes of each.
//
// Runs with one and two threads alternate. Wall seconds are only meaningful on two free cores, so
// the machine's load is printed beside them.
#pragma once

#include "bench/report.h"

namespace surety::bench {

// Measures sdca_threads_text, sdca_threads_sparse and sdca_threads_dense, each with /1e-3 and
// /1e-6. Returns false if training failed.
[[nodiscard]] bool measure_sdca_threads(const Options& options, Report& report);

}  // namespace surety::bench
