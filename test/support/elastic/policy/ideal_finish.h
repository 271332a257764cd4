// The ideal finish time of an iteration, for comparison with divisions of its work.
#pragma once

#include <span>

namespace surety::elastic {

// By water-filling, the least T with
//   sum over workers of max(0, (T - o) / c_k) = work.
// No division of the work can be faster.
// REQUIRES: costs not empty, each > 0 (seconds for one sample); work >= 0; overhead_s >= 0. Returns
// 0 for no work. O(workers).
[[nodiscard]] double ideal_finish_s(std::span<const double> costs, double work,
                                    double overhead_s = 0);

}  // namespace surety::elastic
