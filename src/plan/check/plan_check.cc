#include "plan/check/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "plan/check/own_forecast.h"
#include "plan/check/own_simulation.h"
#include "plan/check/own_solver.h"
#include "plan/check/structure.h"

namespace surety::plan::check {
namespace {

using Errors = std::vector<std::string>;

constexpr double kStandardErrors = 3;

// Largest differences between a claim and our result.
struct Room {
  double probability = 0;
  double cost = 0;
  double seconds = 0;
};

Room room_for(const Found& found, const CheckOptions& options) {
  return {.probability = options.probability_tolerance + kStandardErrors * found.probability_se,
          .cost = options.cost_tolerance * found.cost + kStandardErrors * found.cost_se,
          .seconds = options.cost_tolerance * found.seconds + kStandardErrors * found.seconds_se};
}

// The planner keeps the first schedule whose numbers are good enough. Because of this selection,
// these numbers are a little too good. Five standard errors allow for this.
double schedule_errors(const CheckOptions& options) {
  return 5 * std::sqrt(1 + static_cast<double>(options.schedule_runs) / options.planner_runs);
}

Room room_for_schedule(const Found& found, const CheckOptions& options) {
  static constexpr double kProbability = 0.005;
  static constexpr double kShare = 0.01;  // A share of cost and time.
  const double errors = schedule_errors(options);
  return {.probability = kProbability + errors * found.probability_se,
          .cost = kShare * found.cost + errors * found.cost_se,
          .seconds = kShare * found.seconds + errors * found.seconds_se};
}

void compare_probability(const plan::Claims& claims, const Found& ours, const Room& room,
                         Errors& errors) {
  if (std::abs(claims.probability - ours.probability) <= room.probability) return;
  errors.push_back(fmt::format("probability: {:.4f}, but the check finds {:.4f} +- {:.4f}",
                               claims.probability, ours.probability, room.probability));
}

void compare(std::string_view key, double claim, double ours, double room, Errors& errors) {
  if (std::abs(claim - ours) <= room) return;
  errors.push_back(
      fmt::format("{}: {:.6g}, but the check finds {:.6g} +- {:.3g}", key, claim, ours, room));
}

void compare_both_ways(const plan::Claims& claims, const Found& ours, const Room& room,
                       Errors& errors) {
  compare_probability(claims, ours, room, errors);
  compare("cost_mean", claims.cost_mean, ours.cost, room.cost, errors);
}

// Cost less lambda times success, which the policy minimises.
void compare_worth(const plan::Claims& claims, double lambda, const Found& ours, const Room& room,
                   Errors& errors) {
  const double claimed = claims.cost_mean - lambda * claims.probability;
  const double least =
      ours.cost - lambda * ours.probability - room.cost - lambda * room.probability;
  if (claimed < least) {
    errors.push_back(
        fmt::format("cost_mean: {:.6g} at probability {:.4f} is better than a policy with more "
                    "information: {:.6g} at {:.4f}",
                    claims.cost_mean, claims.probability, ours.cost, ours.probability));
  }
}

// The share of the runs below a claimed quantile must be about `level`.
void compare_quantile(const std::string& key, double claim, double level, const Shares& ours,
                      const CheckOptions& options, Errors& errors) {
  static constexpr double kShare = 0.01;
  const double room =
      kShare + schedule_errors(options) * std::sqrt(level * (1 - level) / options.schedule_runs);
  if (ours.below <= level + room && ours.up_to >= level - room) return;
  errors.push_back(fmt::format(
      "{}: {:.6g}, but {:.3f} to {:.3f} of the checked runs are below, not {} +- {:.3f}", key,
      claim, ours.below, ours.up_to, level, room));
}

void check_schedule(const plan::Plan& plan, const CheckOptions& options, Errors& errors) {
  const plan::Claims& claims = *plan.claims;
  OwnForecast forecast(claims, options.schedule_runs);
  const Found ours =
      simulate_schedule(claims.setting, plan, options.schedule_runs, options.seed, forecast);
  const Room room = room_for_schedule(ours, options);
  compare_both_ways(claims, ours, room, errors);
  compare("seconds_mean", claims.seconds_mean, ours.seconds, room.seconds, errors);
  compare_quantile("cost_95", claims.cost_95, 0.95, forecast.cost_95(), options, errors);
  compare_quantile("seconds_95", claims.seconds_95, 0.95, forecast.seconds_95(), options, errors);
  for (std::size_t i = 0; i < claims.bands.size(); ++i) {
    const plan::Band& band = claims.bands[i];
    const std::string key = fmt::format("bands[{}].", i);
    compare_quantile(key + "q05", band.q05, 0.05, forecast.bands()[i][0], options, errors);
    compare_quantile(key + "q50", band.q50, 0.5, forecast.bands()[i][1], options, errors);
    compare_quantile(key + "q95", band.q95, 0.95, forecast.bands()[i][2], options, errors);
  }
}

struct Trial {
  OwnForecast forecast;
  Found found;
};

// The simulated results of our own policy for this goal.
Trial find(const plan::Plan& plan, Goal goal, const CheckOptions& options) {
  const plan::Setting& setting = plan.claims->setting;
  const OwnSolver solver(setting, goal, {.levels = options.levels, .ticks = options.ticks});
  Trial trial{OwnForecast(*plan.claims, options.runs), {}};
  trial.found = simulate_greedy(setting, solver, plan.first_block, options.runs, options.seed,
                                trial.forecast);
  return trial;
}

// Two policies of about the same cost may still differ in their longest runs. A claimed 95 %
// quantile must at least not be below the median of our runs.
void check_above_median(std::string_view key, double claim, const Shares& ours, Errors& errors) {
  static constexpr double kShare = 0.45;  // Less than one half, because ours is an estimate.
  if (ours.up_to >= kShare) return;
  errors.push_back(
      fmt::format("{}: {:.6g} is claimed for 95 % of the runs, but only {:.3f} of the checked runs "
                  "are at or below it",
                  key, claim, ours.up_to));
}

// Where more money hardly changes the probability, two good policies with the same value of a
// success may spend very different amounts. Then the claimed cost is right if it lies between the
// costs of two own policies, and a mixture of them that costs as much is about as good as `ours`:
// its probability differs by at most `indifferent`. REQUIRES: `ours` has the claimed probability,
// but another cost.
bool is_cost_between(const plan::Plan& plan, const Found& ours, double indifferent,
                     const CheckOptions& options) {
  static constexpr int kTrials = 20;
  static constexpr double kFactor = 2;
  const double claimed = plan.claims->cost_mean;
  const bool claims_less = claimed < ours.cost;
  double lambda = plan.policy->lambda;
  Found near = ours;
  for (int trial = 0; trial < kTrials && lambda > 0; ++trial) {
    lambda = claims_less ? lambda / kFactor : lambda * kFactor;
    // Without a promise, only the value of a success decides how soon a policy stops.
    const Found far = find(plan, {.lambda = lambda, .promised = 0}, options).found;
    const double room = room_for(far, options).cost;
    const bool is_between = claims_less ? far.cost <= claimed + room : far.cost >= claimed - room;
    const double share = is_between && near.cost != far.cost
                             ? std::clamp((near.cost - claimed) / (near.cost - far.cost), 0.0, 1.0)
                             : 1;
    const double mixed = near.probability + share * (far.probability - near.probability);
    if (std::abs(mixed - ours.probability) > indifferent) return false;
    if (is_between) return true;
    near = far;
  }
  return false;
}

// REQUIRES: probability and mean cost agree. The same cost may be paid for few nodes for a long
// time or for many nodes for a short time, so a quantile is checked only if its mean agrees, too.
void check_quantiles(const plan::Claims& claims, const Trial& trial, const Room& room,
                     Errors& errors) {
  check_above_median("cost_95", claims.cost_95, trial.forecast.cost_95(), errors);
  if (std::abs(claims.seconds_mean - trial.found.seconds) <= room.seconds) {
    check_above_median("seconds_95", claims.seconds_95, trial.forecast.seconds_95(), errors);
  }
}

// If a success is hardly possible, the grid determines how soon a policy gives up, and so its cost.
// This concerns only closest plans: other plans keep the promise.
void check_policy(const plan::Plan& plan, double promised, bool must_keep,
                  const CheckOptions& options, Errors& errors) {
  // An issued plan is carried out, so its cost matters more than that of a closest plan.
  const double indifferent = must_keep ? 0.01 : 0.025;
  const plan::Claims& claims = *plan.claims;
  const double lambda = plan.policy->lambda;
  const Trial trial = find(plan, {lambda, promised}, options);
  const Found& ours = trial.found;
  const bool jitter = std::ranges::any_of(claims.setting.laws.versions,
                                          [](const auto& law) { return law.jitter > 0; });
  const Room room = room_for(ours, options);
  if (std::max(claims.probability, ours.probability) <= room.probability) {
    compare_probability(claims, ours, room, errors);
  } else if (jitter) {
    compare_worth(claims, lambda, ours, room, errors);
  } else {
    const bool is_probable = std::abs(claims.probability - ours.probability) <= room.probability;
    const bool cost_differs = std::abs(claims.cost_mean - ours.cost) > room.cost;
    if (is_probable && cost_differs && is_cost_between(plan, ours, indifferent, options)) {
      return;
    }
    compare_both_ways(claims, ours, room, errors);
    if (errors.empty()) check_quantiles(claims, trial, room, errors);
  }
}

Errors check(const plan::Instance& instance, const plan::Plan& plan, bool must_keep,
             const CheckOptions& options) {
  Errors errors;
  check_blocks(instance, plan, errors);
  if (!plan.claims) return errors;
  check_setting(instance, plan, options.deadline_is_point_in_time, errors);
  check_data(instance, plan, errors);
  check_forecast(instance, plan, errors);
  if (must_keep) check_kept(instance.promise, *plan.claims, errors);
  if (!errors.empty()) return errors;
  if (plan.policy) {
    check_policy(plan, instance.promise.probability, must_keep, options, errors);
  } else {
    check_schedule(plan, options, errors);
  }
  check_assumptions(*plan.claims, errors);
  return errors;
}

}  // namespace

std::vector<std::string> check_plan(const plan::Instance& instance, const plan::Plan& plan,
                                    const CheckOptions& options) {
  return check(instance, plan, true, options);
}

std::vector<std::string> check_closest(const plan::Instance& instance, const plan::Plan& plan,
                                       const CheckOptions& options) {
  return check(instance, plan, false, options);
}

}  // namespace surety::plan::check
