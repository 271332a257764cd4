// How much of an iteration each worker gets, so that all end together; and when it ends for those
// that do not.
//
// Ideal finish time, by water-filling: the least T with  sum over workers of max(0, (T - o) / c_k)
// = work.  It is what no division of the work can beat, and what divisions are measured against.
//
// Pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace surety::elastic {

// Of an even number, the mean of the two in the middle. REQUIRES: not empty. O(n).
[[nodiscard]] double median(std::vector<double> values);

// REQUIRES: costs not empty, each > 0 (seconds for one sample); work >= 0; overhead_s >= 0.
// 0 for no work. O(workers).
[[nodiscard]] double ideal_finish_s(std::span<const double> costs, double work,
                                    double overhead_s = 0);

// Samples for each worker: in proportion to speed, whole batches, `batches` of them together.
// Everybody gets at least one batch, whatever that costs: who does nothing is never measured again.
// ENSURES: the sum is batch * max(batches, workers); the slowest finish is the least that whole
//          batches allow. Ties: the lower index.
// REQUIRES: costs not empty, each > 0; batch > 0. O(batches log workers).
[[nodiscard]] std::vector<std::uint32_t> quotas(std::span<const double> costs,
                                                std::uint32_t batches, std::uint32_t batch);

struct CutOffOptions {
  double factor = 1.25;       // Times the median predicted time. Lower, healthy workers are cut by
                              // noise; higher, a straggler holds up the others for longer.
  double slack_min_s = 0.05;  // Never sooner than this after the median: a busy machine delays
                              // short iterations by as much.
};

// Seconds of computing after which a worker reports what it has; none where there is nobody to wait
// for it. `predicted_s`: of those that have work and are known. `working`: all that have work.
// None too unless more than half of these are known.
[[nodiscard]] std::optional<double> cut_off_s(std::vector<double> predicted_s, std::size_t working,
                                              const CutOffOptions& options);

}  // namespace surety::elastic
