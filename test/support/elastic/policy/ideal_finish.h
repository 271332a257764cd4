// The ideal finish time of an iteration, for comparison with divisions of its work.
#pragma once

#include <span>

namespace surety::elastic {

// The least T with
//   sum over workers of T / c_k = work.
// No division of the work can be faster.
// REQUIRES: costs not empty, each > 0 (seconds for one sample); work >= 0. O(workers).
[[nodiscard]] double ideal_finish_s(std::span<const double> costs, double work);

}  // namespace surety::elastic
