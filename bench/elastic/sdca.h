// Time to a duality gap on one thread: our task beside LIBLINEAR's dual solver (-s 3).
//
//   sdca_text/1e-3, sdca_text/1e-6, sdca_sparse/..., sdca_dense/...    CPU seconds of the training
//     alone, for a linear SVM with lambda = 1 / n. Ours: iterations of a task with one worker over
//     chunks of a megabyte, with the certificates. Theirs: train() with the largest tolerance on a
//     fine grid whose result has the same true gap.
//
// Both results are recomputed in plain double arithmetic.
#pragma once

#include "bench/report.h"

namespace surety::bench {

// Returns false if a result did not have the gap that it claimed.
[[nodiscard]] bool measure_sdca(const Options& options, Report& report);

}  // namespace surety::bench
