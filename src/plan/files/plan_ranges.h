// May this plan be executed? What a plan file can say that no planner says.
//
// Numbers are finite already: JSON knows no others.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "plan/plan.h"

namespace surety::plan {

inline constexpr std::uint32_t kLevelsMin = 10, kLevelsMax = 2000;
inline constexpr std::uint32_t kTicksMax = 5000, kClassesMax = 15;
// Of the decision process: levels * (ticks + 1) * blocks. Tables of doubles over them have to fit
// into memory; planners stay below a tenth of it.
inline constexpr std::uint64_t kStatesMax = 20'000'000;

// InvalidInput, naming the first key that is out of range, what was found and what was expected:
// no blocks, no passes in a block of a fixed schedule, an index past the end, a negative price or
// duration, a forecast that overflows when it is drawn, a probability outside [0, 1], a closed-loop
// plan without its policy, a policy that is too large. `path` is where the plan lies in
// the document: "infeasible.best_effort", or empty.
[[nodiscard]] Result<void> check_ranges(std::string_view file, std::string_view path,
                                        const Plan& plan);

}  // namespace surety::plan
