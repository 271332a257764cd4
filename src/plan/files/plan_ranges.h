// Checks that a plan can be executed. A plan file can contain values that no planner writes.
//
// Numbers are finite already, because JSON has no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "plan/plan.h"

namespace surety::plan {

inline constexpr std::uint32_t kLevelsMin = 10;
inline constexpr std::uint32_t kLevelsMax = 2000;
inline constexpr std::uint32_t kTicksMax = 5000;
inline constexpr std::uint32_t kClassesMax = 15;
// Limit for the states of the decision process: levels * (ticks + 1) * blocks. Tables of doubles
// over them must fit into memory. Planners stay below a tenth of it.
inline constexpr std::uint64_t kStatesMax = 20'000'000;

inline constexpr std::uint32_t kPassesMax = 1'000'000;  // The largest number in a job file.
// Steps of the decision process that a check computes: levels^2 x ticks x blocks^2 x classes.
inline constexpr double kTransitionsMax = 1e11;
inline constexpr std::size_t kBlocksMax = 64;
inline constexpr std::uint64_t kAllPassesMax = 100'000;  // Sum over all blocks of a plan.
inline constexpr std::size_t kBandsMax = 1000;           // Points of the expected range.

// Errors: InvalidInput, with the first key that is out of range, what was found and what was
// expected. Checked are: no blocks, no passes in a block of a fixed schedule, an index past the
// end, a negative price, duration, variance or standard deviation, a forecast that overflows when
// it is drawn, quantiles that are not in order, a probability outside [0, 1], a share of the data
// outside ]0, 1], more successes than runs, no time to certify, a closed-loop plan without its
// policy, a policy in another plan, a policy that is too large, a plan of a planner without claims,
// and a plan by hand with claims. `path` is the position in the document: "plan", or empty.
[[nodiscard]] Result<void> check_ranges(std::string_view file, std::string_view path,
                                        const Plan& plan);
// The same for the nearest promises of a refusal and for its closest plan, which may lack the time
// to certify.
[[nodiscard]] Result<void> check_ranges(std::string_view file, std::string_view path,
                                        const Infeasible& infeasible);

}  // namespace surety::plan
