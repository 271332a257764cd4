// What a plan takes for granted, each with how it was checked and what was found.
#pragma once

#include <vector>
#include "plan/problem/problem.h"

namespace surety::plan {

// ENSURES: always the same names in the same order; those that need several versions, data sets,
// profiled fractions or switches only where there are any.
// `choice`: of the problem, that the setting was made from.
// `schedule`: the variants that are used, the one that runs end on last.
[[nodiscard]] std::vector<Assumption> check_assumptions(
    const Problem& problem, const Setting& setting, const DataLaws& choice,
    const Schedule& schedule, double probability_lower, double confidence);

}  // namespace surety::plan
