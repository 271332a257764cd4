// The costs of a granted round for its workers.
#pragma once

#include "fabric/scheduler/actions.h"

namespace surety::fabric {

// The largest number of bytes that one aggregator stages: a slice of every member, and their sum.
[[nodiscard]] double staged_bytes(const Grant& grant, double block_bytes);

}  // namespace surety::fabric
