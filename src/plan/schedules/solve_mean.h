// The expectation-based baseline as a planner of its own. Its schedules keep the promise on
// average; the margins for target and deadline are raised until a schedule keeps it when simulated.
#pragma once

#include "plan/problem/problem.h"
#include "plan/schedules/pipeline.h"

namespace surety::plan {

// Returns the cheapest result over all data choices. `others` are the results of other choices.
[[nodiscard]] Solved solve_mean(const Problem& problem, const Goal& goal);

}  // namespace surety::plan
