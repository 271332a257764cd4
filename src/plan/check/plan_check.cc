#include "plan/check/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/check/own_simulation.h"
#include "plan/check/own_solver.h"
#include "plan/check/structure.h"

namespace surety::plan::check {
namespace {

constexpr double kStandardErrors = 3;

// Largest differences between a claim and our result.
struct Room {
  double probability = 0;
  double cost = 0;
};

Room room_for(const Found& found, const CheckOptions& options) {
  return {options.probability_tolerance + kStandardErrors * found.probability_se,
          options.cost_tolerance * found.cost + kStandardErrors * found.cost_se};
}

void compare_both_ways(const plan::Plan& plan, const Found& ours, const CheckOptions& options,
                       std::vector<std::string>& found) {
  const Room room = room_for(ours, options);
  if (std::abs(plan.probability - ours.probability) > room.probability) {
    found.push_back(fmt::format("probability: {:.4f}, but the check finds {:.4f} +- {:.4f}",
                                plan.probability, ours.probability, room.probability));
  }
  if (std::abs(plan.cost_mean - ours.cost) > room.cost) {
    found.push_back(fmt::format("cost_mean: {:.6g}, but the check finds {:.6g} +- {:.3g}",
                                plan.cost_mean, ours.cost, room.cost));
  }
}

// Cost less lambda times success, which the policy minimises.
void compare_worth(const plan::Plan& plan, const Found& ours, const CheckOptions& options,
                   std::vector<std::string>& found) {
  const Room room = room_for(ours, options);
  const double lambda = plan.policy->lambda;
  const double claimed = plan.cost_mean - lambda * plan.probability;
  const double least =
      ours.cost - lambda * ours.probability - room.cost - lambda * room.probability;
  if (claimed < least) {
    found.push_back(
        fmt::format("cost_mean: {:.6g} at probability {:.4f} is better than a policy with more "
                    "information: {:.6g} at {:.4f}",
                    plan.cost_mean, plan.probability, ours.cost, ours.probability));
  }
}

void check_behaviour(const plan::Plan& plan, double promised, const CheckOptions& options,
                     std::vector<std::string>& found) {
  const plan::PolicySpec& policy = *plan.policy;
  if (plan.planner != plan::Planner::kClosedLoop) {
    compare_both_ways(plan, simulate_schedule(policy.setting, plan, options.runs, options.seed),
                      options, found);
    return;
  }
  const OwnSolver solver(policy.setting, {policy.lambda, promised},
                         {.levels = options.levels, .ticks = options.ticks});
  const Found ours =
      simulate_greedy(policy.setting, solver, plan.first_block, options.runs, options.seed);
  const bool jitter = std::ranges::any_of(policy.setting.laws.versions,
                                          [](const auto& law) { return law.jitter > 0; });
  if (jitter) {
    compare_worth(plan, ours, options, found);
  } else {
    compare_both_ways(plan, ours, options, found);
  }
}

}  // namespace

std::vector<std::string> check_plan(const plan::Instance& instance, const plan::Plan& plan,
                                    const CheckOptions& options) {
  std::vector<std::string> found;
  check_blocks(instance, plan, found);
  check_policy(instance, plan, found);
  check_data(instance, plan, found);
  check_forecast(instance, plan, found);
  // A plan that is not consistent cannot be simulated.
  if (found.empty() && plan.policy) {
    check_behaviour(plan, instance.promise.probability, options, found);
  }
  return found;
}

}  // namespace surety::plan::check
