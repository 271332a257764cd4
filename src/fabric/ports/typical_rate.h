// What a port like others can carry, as far as they have shown it.
#pragma once

#include <optional>
#include <vector>

namespace surety::fabric {

// `fastest`: of each port, the most that it was seen to carry in a moment. The upper one of the
// middle of those that have carried anything; nothing where none has.
[[nodiscard]] std::optional<double> typical_rate(std::vector<double> fastest);

}  // namespace surety::fabric
