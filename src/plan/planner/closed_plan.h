// A plan, as it is written and shown, from what the solvers found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/closed_loop/solve_closed.h"
#include "plan/plan.h"
#include "plan/schedule/pipeline.h"

namespace surety::plan {

inline constexpr std::uint32_t kBands = 20;
inline constexpr const char* kPercentileMargin = "percentile margin";
inline constexpr const char* kLearnThenTest = "learn then test";

// Bands cover what nearly all runs need, so that a short run in a long time does not fall between
// two points.
[[nodiscard]] double band_seconds(const Setting& setting, const Outcome& outcome);

// Of one of the setting's variants; passes and switch_s are left at 0.
[[nodiscard]] Block block_of(const Setting& setting, std::size_t variant);

// Probability, cost, time, bands and the usage of the blocks that some run uses.
void fill_numbers(const Outcome& outcome, Plan& plan);

// `fixed`: the best fixed schedules, for runners-up.
[[nodiscard]] Plan plan_of_policy(const Problem& problem, const Promise& promise, const Goal& goal,
                                  const ClosedSolution& solution, const Solved& fixed);

}  // namespace surety::plan
