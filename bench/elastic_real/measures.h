// The measures on real processes. Each returns false if a result is wrong.
#pragma once

#include <filesystem>

#include "bench/report.h"

namespace surety::bench {

// a9a/MODEL wall, cpu: `surety train` with one worker against liblinear-train, each from the start
// of its program to its end, and to a duality gap of 1e-6 of the objective. `data` holds a9a.gz.
[[nodiscard]] bool measure_a9a(const Options& options, const std::filesystem::path& data,
                               Report& report);

// leave, kill, join, each /cocoa and /local-sgd. Counts iterations that were disturbed (repeated,
// or longer than twice the median) in the pass of the event and the one after it, and in the same
// number of passes before, which only other work of the machine disturbs. Also counts lost and
// doubled samples.
[[nodiscard]] bool measure_disturbances(const Options& options, Report& report);

// one_slow: seconds to a validation loss with one of eight workers at a quarter of its speed. The
// peers are synchronous training without policies (an average after every batch), which is what
// data-parallel frameworks do, and one of these frameworks, PyTorch DDP, if it is installed. `data`
// holds MNIST.
[[nodiscard]] bool measure_one_slow(const Options& options, const std::filesystem::path& data,
                                    Report& report);

// scale_out/K, scale_in/K: seconds to a duality gap of 1e-3 of an SVM on text-like rows while nodes
// grow from 2 to 16 or shrink from 16 to 2. Two nodes join or leave each time that one node could
// compute half of the rows. The peer is K micro-tasks on the same nodes, as published: they add
// safely and keep their rows. Nodes compute at a stated speed (paced_node.h). scale_out_alike,
// scale_in_alike: the peer is micro-tasks that use our aggregation.
[[nodiscard]] bool measure_scaling(const Options& options, Report& report);

}  // namespace surety::bench
