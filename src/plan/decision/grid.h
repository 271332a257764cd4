// Levels of the metric for the expanded graph.
//
// Level 0 is exactly the metric at which training stops. Level i lies at base + (stop - base) *
// ratio^i, with the base just below the lowest floor. So levels are close where a pass changes
// little.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/decision/simulate.h"

namespace surety::plan {

// Metrics in ascending order, from the stop metric to above the highest start. Empty if the stop
// metric is not above any floor: no number of passes reaches it then.
// REQUIRES: levels >= 2.
[[nodiscard]] std::vector<double> make_grid(const Setting& setting, std::size_t levels);

}  // namespace surety::plan
