// Simulates a job that follows the checker's own policy, or a fixed schedule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/check/own_forecast.h"
#include "plan/check/own_solver.h"
#include "plan/plan.h"

namespace surety::plan::check {

struct Found {
  double probability = 0;
  double probability_se = 0;
  double cost = 0;
  double cost_se = 0;
  double seconds = 0;  // Until the end, certification included.
  double seconds_se = 0;
};

// Follows the greedy policy of the solver's tables, from the plan's first block. Counts the runs in
// `forecast`.
// REQUIRES: runs > 0; the forecast is one of this plan and so many runs.
[[nodiscard]] Found simulate_greedy(const plan::Setting& setting, const OwnSolver& solver,
                                    std::size_t first, std::uint32_t runs, std::uint64_t seed,
                                    OwnForecast& forecast);

// Runs the blocks in order, each for its passes, and the last until the end. Counts the runs in
// `forecast`.
// REQUIRES: a variant for each block; runs > 0; the forecast is one of this plan and so many runs.
[[nodiscard]] Found simulate_schedule(const plan::Setting& setting, const plan::Plan& plan,
                                      std::uint32_t runs, std::uint64_t seed,
                                      OwnForecast& forecast);

}  // namespace surety::plan::check
