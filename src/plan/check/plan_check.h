// Checks whether a plan is what it claims to be: recomputes the planner's results by slow and
// simple means.
//
// It shares no code with src/plan, only the plain data of plan.h, types.h and promise.h. The laws
// are implemented again from their definitions (types.h, time_model.h). The decision process is
// solved with dense matrices on its own grid, and the resulting policy is simulated with its own
// random numbers. A result on which both agree was found by two independent ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan::check {

struct CheckOptions {
  std::uint32_t runs = 2000;  // Number of simulated runs.
  std::uint64_t seed = 1;
  std::uint32_t levels = 160;  // Levels of our own decision process.
  std::uint32_t ticks = 160;   // Ticks of our own decision process.
  // Differences that grids of different sizes explain. Three standard errors are added to them.
  double probability_tolerance = 0.03;
  double cost_tolerance = 0.05;  // Relative to the cost.
};

// Returns the errors, one sentence each, starting with the key. Empty if none was found.
//
// It checks the blocks against the nodes, memory, versions and prices of the instance; the data;
// and that the forecast is consistent (quantiles, sums, bounds, budget). If the plan has a policy,
// it checks probability and cost by a simulation of our own policy with the same value of a
// success. If checkpoints jitter, our simulation sees more than the plan does, so only a claim that
// is better than our result is refused. A fixed schedule is simulated if the plan contains a
// setting.
// REQUIRES: a plan that the reader would accept (plan/files/plan_ranges.h).
// O(classes * ticks * blocks^2 * levels^2 + runs * passes).
[[nodiscard]] std::vector<std::string> check_plan(const plan::Instance& instance,
                                                  const plan::Plan& plan,
                                                  const CheckOptions& options = {});

}  // namespace surety::plan::check
