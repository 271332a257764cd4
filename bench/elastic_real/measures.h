// What is measured on real processes; each returns false where a result is not what it claims.
#pragma once

#include <filesystem>

#include "bench/report.h"

namespace surety::bench {

// a9a/MODEL wall, cpu: `surety train` with one worker against liblinear-train, from the program's
// start to its end, both to a duality gap of 1e-6 of the objective. `data` holds a9a.gz.
[[nodiscard]] bool measure_a9a(const Options& options, const std::filesystem::path& data,
                               Report& report);

// leave, kill, join, each /cocoa and /local-sgd: iterations disturbed (done again, or longer than
// twice the median) in the pass in which it happens and the one after it; as many passes before,
// where only the machine disturbs; samples lost or doubled.
[[nodiscard]] bool measure_disturbances(const Options& options, Report& report);

// one_slow: seconds to a validation loss with one of eight workers at a quarter of its speed,
// against synchronous training without policies (an average after every batch), which is what
// data-parallel frameworks do, and against one of them, PyTorch DDP, where it is installed. `data`
// holds MNIST.
[[nodiscard]] bool measure_one_slow(const Options& options, const std::filesystem::path& data,
                                    Report& report);

// scale_out/K, scale_in/K: seconds to a duality gap of 1e-3 of an SVM on text-like rows while nodes
// grow from 2 to 16 or shrink from 16 to 2, two more or less each time that one of them could
// compute half of the rows, beside K micro-tasks on the same nodes: tasks as published, which add
// safely and keep their rows. Nodes compute at a stated speed (paced_node.h). scale_out_alike,
// scale_in_alike: beside micro-tasks that add up as we do.
[[nodiscard]] bool measure_scaling(const Options& options, Report& report);

}  // namespace surety::bench
