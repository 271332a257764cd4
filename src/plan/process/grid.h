// Levels of the metric for the expanded graph.
//
// Level 0 is the metric to stop at, exactly; level i lies at base + (stop - base) * ratio^i, base
// just below the lowest floor, so that the levels are close where a pass changes little.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/process/simulate.h"

namespace surety::plan {

// Ascending metrics from the stop metric up to above the highest start. Empty when the stop metric
// is not above any floor: then no number of passes reaches it.
// REQUIRES: levels >= 2.
[[nodiscard]] std::vector<double> make_grid(const Setting& setting, std::size_t levels);

}  // namespace surety::plan
