// How long a pass takes.
//
// Measured, not modelled: a plan uses only numbers of nodes that were profiled, so nothing is
// extrapolated from one number to another.
#pragma once

#include <vector>

#include "plan/profile_runs.h"
#include "plan/types.h"

namespace surety::plan {

// From the passes that were trained on exactly as many workers as their run is counted for.
// REQUIRES: runs on one number of workers; not empty.
[[nodiscard]] PassTime fit_pass_time(const std::vector<const ProfileRun*>& runs);

// The same work on `factor` times the data; the evaluation stays.
[[nodiscard]] PassTime scaled(PassTime time, double factor);

}  // namespace surety::plan
