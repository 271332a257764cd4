#include "plan_check/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan_check/own_simulation.h"
#include "plan_check/own_solver.h"
#include "plan_check/structure.h"

namespace surety::plan_check {
namespace {

constexpr double kStandardErrors = 3;
// Near a value of a success at which two policies are equally good, either of them may be chosen.
// So a claim may also lie between what values of a success that differ by this factor lead to.
constexpr double kNearbyValue = 1.15;

// Largest differences between a claim and our result.
struct Room {
  double probability = 0, cost = 0;
};

Room room_for(const Found& found, const CheckOptions& options) {
  return {options.probability_tolerance + kStandardErrors * found.probability_se,
          options.cost_tolerance * found.cost + kStandardErrors * found.cost_se};
}

// What was found, for one or several values of a success: the claim must lie between them.
void compare_both_ways(const plan::Plan& plan, const std::vector<Found>& ours,
                       const CheckOptions& options, std::vector<std::string>& found) {
  Found low = ours.front(), high = ours.front();
  Room room;
  for (const Found& one : ours) {
    low.probability = std::min(low.probability, one.probability);
    high.probability = std::max(high.probability, one.probability);
    low.cost = std::min(low.cost, one.cost);
    high.cost = std::max(high.cost, one.cost);
    const Room own = room_for(one, options);
    room = {std::max(room.probability, own.probability), std::max(room.cost, own.cost)};
  }
  if (plan.probability < low.probability - room.probability ||
      plan.probability > high.probability + room.probability) {
    found.push_back(fmt::format("probability: {:.4f}, but ours is {:.4f} +- {:.4f}",
                                plan.probability, ours.front().probability, room.probability));
  }
  if (plan.cost_mean < low.cost - room.cost || plan.cost_mean > high.cost + room.cost) {
    found.push_back(fmt::format("cost_mean: {:.6g}, but ours is {:.6g} +- {:.3g}", plan.cost_mean,
                                ours.front().cost, room.cost));
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
        fmt::format("cost_mean: {:.6g} at probability {:.4f} is better than what sees "
                    "more can do: {:.6g} at {:.4f}",
                    plan.cost_mean, plan.probability, ours.cost, ours.probability));
  }
}

Found find(const plan::Plan& plan, const Goal& goal, const CheckOptions& options) {
  const plan::Setting& setting = plan.policy->setting;
  const OwnSolver solver(setting, goal, {.levels = options.levels, .ticks = options.ticks});
  return simulate_greedy(setting, solver, plan.first_block, options.runs, options.seed);
}

void check_behaviour(const plan::Plan& plan, double promised, const CheckOptions& options,
                     std::vector<std::string>& found) {
  const plan::PolicySpec& policy = *plan.policy;
  if (plan.planner != plan::Planner::kClosedLoop) {
    compare_both_ways(plan, {simulate_schedule(policy.setting, plan, options.runs, options.seed)},
                      options, found);
    return;
  }
  const Found ours = find(plan, {policy.lambda, promised}, options);
  // The same value of a success, so neither side can be better; where checkpoints jitter, ours is.
  compare_worth(plan, ours, options, found);
  const bool jitter = std::ranges::any_of(policy.setting.laws.versions,
                                          [](const auto& law) { return law.jitter > 0; });
  if (jitter) return;
  std::vector<std::string> differs;
  compare_both_ways(plan, {ours}, options, differs);
  if (differs.empty()) return;
  compare_both_ways(plan,
                    {ours, find(plan, {policy.lambda / kNearbyValue, promised}, options),
                     find(plan, {policy.lambda * kNearbyValue, promised}, options)},
                    options, found);
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

}  // namespace surety::plan_check
