// The rate that a typical port can carry, as far as measurements have shown.
#pragma once

#include <optional>
#include <vector>

namespace surety::fabric {

// `fastest` has the highest measured rate of each port. Returns the upper median of those above 0,
// or nullopt if there are none.
[[nodiscard]] std::optional<double> typical_rate(std::vector<double> fastest);

}  // namespace surety::fabric
