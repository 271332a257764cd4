// An independent check of how an operation is cut into lanes and transfers.
#pragma once

#include <string>
#include <vector>

#include "fabric/lanes/lanes.h"

namespace surety::fabric {

// Runs the transfers on sets of inputs instead of numbers: every sink must end with every element,
// with every source counted in it once. Returns an empty string if so,
// otherwise a description of the fault. It does not use lanes or hubs.
[[nodiscard]] std::string check_transfers(const Operation& operation,
                                          const std::vector<Transfer>& transfers);

}  // namespace surety::fabric
