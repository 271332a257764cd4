// The scheduler's decisions in words.
#pragma once

#include <string>

#include "fabric/scheduler/actions.h"

namespace surety::fabric {

// One line for an action. Equal lines mean equal decisions, to the bit.
[[nodiscard]] std::string describe(const Action& action);

}  // namespace surety::fabric
