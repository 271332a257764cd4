// The shapes of share plans in words.
#pragma once

#include "fabric/network/shares.h"

namespace surety::fabric {

[[nodiscard]] const char* name_of(PlanShape shape);

}  // namespace surety::fabric
