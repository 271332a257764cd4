// The expectation-based baseline as a planner of its own: schedules that keep the promise on
// average, with margins for target and deadline raised until one keeps it when simulated.
#pragma once

#include "plan/problem/problem.h"
#include "plan/schedule/pipeline.h"

namespace surety::plan {

// As solve(): the cheapest over all data choices. `others` are what other choices came to.
[[nodiscard]] Solved solve_mean(const Problem& problem, const Goal& goal);

}  // namespace surety::plan
