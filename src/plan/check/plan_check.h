// Checks the claims of a plan: recomputes the planner's results by slow and simple methods.
//
// It shares no code with the planner, only the plain data of plan/plan.h, plan/types.h and
// plan/promise.h. The laws are implemented again from their definitions (plan/types.h,
// plan/laws/time_model.h). The decision process is solved with dense matrices on its own grid, and
// the resulting policy is simulated with its own random numbers. If both agree, the result was
// found in two independent ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan::check {

struct CheckOptions {
  std::uint32_t runs = 2000;  // Number of simulated runs of a policy.
  std::uint64_t seed = 1;
  std::uint32_t levels = 160;  // Levels of the checker's own decision process.
  std::uint32_t ticks = 160;   // Ticks of the checker's own decision process.
  // Differences that grids of different sizes explain. Three standard errors are added to them.
  double probability_tolerance = 0.03;
  double cost_tolerance = 0.05;  // Relative to the cost.
  // A fixed schedule needs no grid. Five standard errors of the difference between the checker's
  // simulation and the planner's are allowed, and a little more (plan_check.cc).
  std::uint32_t schedule_runs = 10'000;  // Number of simulated runs of a schedule.
  // Number of runs that the planner simulated. REQUIRES: equal to the planner's
  // PlanOptions::simulated_runs (plan/plan_options.h), as the default is.
  std::uint32_t planner_runs = 4000;
  // The promised deadline is a point in time. Then less time is left than when the plan was made.
  bool deadline_is_point_in_time = false;
};

// The result lists the errors of the plan, one sentence each, which begins with the key. It is
// empty if all claims were confirmed.
//
// First the plan itself is checked. All errors that are found are reported, and a plan with such
// errors is not simulated.
// - The blocks must fit the nodes, memory, versions and prices of the instance.
// - The data must be those of the instance, and the laws must fit its promise.
// - The forecast must be consistent (quantiles, sums, bounds) and keep the promise.
//
// Then the claims are simulated, and the assumptions whose results follow from the claims must have
// these results. A claim agrees with the simulated result if they differ by at most a tolerance and
// a few standard errors (CheckOptions).
//
// The claims of a closed-loop plan are compared with a simulation of the checker's own policy, for
// the same value of a success:
// - If both say that a success is hardly possible, the cost is not compared.
// - If checkpoints jitter, only one side is refused: the simulation knows more than the planner's
//   policy, so a claim is refused only if it is better than the simulated result.
// - Otherwise probability and mean cost must agree. If only the cost differs, it is accepted if it
//   lies between the costs of two own policies that are about as good, because money hardly matters
//   then.
// - If both agree, a 95 % quantile is refused only if it is clearly below the median of the
//   simulated runs: that of the cost, and that of the time if the mean time agrees.
//
// Of a fixed schedule, the probability, the means and 95 % quantiles of cost and time, and the
// bands must agree with a simulation of the schedule. A claim is refused if it is too good, and
// also if it is too bad.
//
// These are not computed again: the durations of passes and switches in the blocks, which are
// inputs of the rule; how costs are divided among blocks; the other candidates; and the lower bound
// of the probability, which rests on the profile.
//
// Of a plan by hand, which makes no claims, only the blocks are checked. REQUIRES: a plan that the
// reader would accept (plan/files/plan_ranges.h). O(classes * ticks * blocks^2 * levels^2 + runs *
// passes), or up to 20 times as much if only the cost differs.
[[nodiscard]] std::vector<std::string> check_plan(const plan::Instance& instance,
                                                  const plan::Plan& plan,
                                                  const CheckOptions& options = {});

// Like check_plan() for the closest plan of a refusal, which need not keep the promise.
[[nodiscard]] std::vector<std::string> check_closest(const plan::Instance& instance,
                                                     const plan::Plan& plan,
                                                     const CheckOptions& options = {});

}  // namespace surety::plan::check
