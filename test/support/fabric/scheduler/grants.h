// The costs of a granted round for its hosts.
#pragma once

#include <vector>

#include "fabric/scheduler/actions.h"

namespace surety::fabric {

// The loads of a round, by its grant.
[[nodiscard]] std::vector<Load> loads_of(const Network& network, Direction direction,
                                         const Grant& grant);

// The largest number of bytes that one aggregator stages: a slice of every member, and their sum.
[[nodiscard]] double staged_bytes(const Grant& grant, double block_bytes);

}  // namespace surety::fabric
