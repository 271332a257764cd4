// Is this plan what it claims to be? Recomputes what a planner decided, by slow and simple means.
//
// Shares no code with src/plan: only the plain data of plan.h, types.h and promise.h. The laws are
// written again from their definitions (types.h, time_model.h), the decision process is solved by
// dense matrices on a grid of its own, and the policy that comes out is simulated with random
// numbers of its own. What agrees has been found twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan_check {

struct CheckOptions {
  std::uint32_t runs = 2000;  // Simulated.
  std::uint64_t seed = 1;
  std::uint32_t levels = 80, ticks = 160;  // Of our own decision process.
  // Differences that grids of another size explain; three standard errors come on top.
  double probability_tolerance = 0.03;
  double cost_tolerance = 0.05;  // Of the cost.
};

// What is wrong with it, a sentence each, starting with the key; empty: nothing was found.
//
// Checked are: the blocks against the nodes, memory, versions and prices of the instance; the data;
// the forecast for being in order (quantiles, sums, bounds, budget); and, where the plan has a
// policy, probability and cost by simulation of what we would do in its place with the same value
// of a success. Where checkpoints jitter we see better than the plan does, so there only a claim
// that is better than ours is refused. A fixed schedule is simulated where the plan carries a
// setting. REQUIRES: a plan that reading would accept (plan/files/plan_ranges.h).
// O(classes * ticks * blocks^2 * levels^2 + runs * passes).
[[nodiscard]] std::vector<std::string> check_plan(const plan::Instance& instance,
                                                  const plan::Plan& plan,
                                                  const CheckOptions& options = {});

}  // namespace surety::plan_check
