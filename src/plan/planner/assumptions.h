// The assumptions of a plan. Each states its test and the result of the test.
#pragma once

#include <vector>

#include "plan/problem/problem.h"

namespace surety::plan {

// ENSURES: always the same names in the same order. Assumptions about several versions, data sets,
// profiled fractions or switches appear only if there are any. `choice`: the choice of the problem
// from which the setting was made. `schedule`: the variants that are used; the last one is that on
// which runs end.
[[nodiscard]] std::vector<Assumption> check_assumptions(
    const Problem& problem, const Setting& setting, const DataLaws& choice,
    const Schedule& schedule, double probability_lower, const Promise& promise);

}  // namespace surety::plan
