// Divides an iteration among workers so that all end together, and determines when late workers
// report.
//
// Pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace surety::elastic {

// Returns the mean of the two values in the middle if their number is even. REQUIRES: not empty.
// O(n).
[[nodiscard]] double median(std::vector<double> values);

// Samples for each worker: proportional to speed, in whole batches, `batches` of them in all. Every
// worker gets at least one batch, however slow it is, because a worker without work would never be
// measured again. Ties go to the lower index.
// ENSURES: the sum is batch * max(batches, workers); the slowest worker ends as early as whole
//          batches allow.
// REQUIRES: costs not empty, each > 0 (seconds for one sample); batch > 0. O(batches log workers).
[[nodiscard]] std::vector<std::uint32_t> quotas(std::span<const double> costs,
                                                std::uint32_t batches, std::uint32_t batch);

struct CutOffOptions {
  // Factor on the median predicted time. With a lower factor, noise would cut off healthy workers;
  // with a higher one, a straggler delays the others for longer.
  double factor = 1.25;
  // Minimum time after the median, because a busy machine may delay short iterations by this much.
  double slack_min_s = 0.05;
};

// Seconds of computing after which a worker reports the work that it has done; nullopt if no other
// worker waits for it, or if the speed of half of the workers or more is unknown. `predicted_s`:
// times of the workers that have work and whose speed is known. `working`: number of all workers
// that have work.
[[nodiscard]] std::optional<double> cut_off_s(std::vector<double> predicted_s, std::size_t working,
                                              const CutOffOptions& options);

}  // namespace surety::elastic
