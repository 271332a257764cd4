#include "plan/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kRatio = 1.02;  // Deadline and target are found this closely.
constexpr double kProbabilityStep = 0.005;
constexpr int kDoublings = 12;  // Of the deadline: 4096 times the promised one.

// The smallest feasible value in (low, high], given that high is feasible and low is not, in steps
// of a ratio (both positive) or of kRatio - 1 of the interval.
template <typename Feasible>
double bisect(double low, double high, Feasible&& feasible) {
  const bool ratio = low > 0;
  const double step = (kRatio - 1) * (high - low);
  while (ratio ? high / low > kRatio : high - low > step) {
    const double middle = ratio ? std::sqrt(low * high) : (low + high) / 2;
    (feasible(middle) ? high : low) = middle;
  }
  return high;
}

bool is_feasible(const Problem& problem, const Goal& goal) {
  return solve(problem, goal).plan.has_value();
}

std::optional<double> nearest_deadline(const Problem& problem, Goal goal) {
  if (reachable_probability(problem, goal, true) < goal.probability) return std::nullopt;
  double low = goal.deadline_s;
  const auto feasible = [&](double deadline_s) {
    goal.deadline_s = deadline_s;
    return is_feasible(problem, goal);
  };
  for (int i = 0; i < kDoublings; ++i, low *= 2) {
    if (feasible(2 * low)) return bisect(low, 2 * low, feasible);
  }
  return std::nullopt;
}

std::optional<double> nearest_target(const Problem& problem, Goal goal) {
  double start = goal.target;
  for (const DataLaws& choice : problem.choices) {
    for (const VersionLaw& law : choice.laws.versions) start = std::max(start, law.curve.at(0));
  }
  const auto feasible = [&](double target) {
    goal.target = target;
    return is_feasible(problem, goal);
  };
  const double low = goal.target;
  if (!(start > low) || !feasible(start)) return std::nullopt;
  return bisect(low, start, feasible);
}

std::optional<double> nearest_probability(const Problem& problem, Goal goal) {
  double low = 0, high = std::floor(goal.probability / kProbabilityStep);  // low feasible.
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    goal.probability = middle * kProbabilityStep;
    (is_feasible(problem, goal) ? low : high) = middle;
  }
  if (low == 0) return std::nullopt;
  return low * kProbabilityStep;
}

std::optional<double> nearest_budget(const Problem& problem, Goal goal) {
  if (!goal.budget) return std::nullopt;
  goal.budget.reset();
  const Solved free = solve(problem, goal);
  if (!free.plan) return std::nullopt;
  goal.budget = free.plan->outcome.cost_95 * (1 + 1e-9);
  if (!is_feasible(problem, goal)) return std::nullopt;
  return goal.budget;
}

bool learned(const Problem& problem) {
  for (const DataLaws& choice : problem.choices) {
    for (const VersionLaw& law : choice.laws.versions) {
      if (law.metric_min < law.curve.at(0) * (1 - 1e-6)) return true;
    }
  }
  return false;
}

double lowest_floor(const Problem& problem) {
  double floor = problem.choices[0].laws.versions[0].curve.floor;
  for (const DataLaws& choice : problem.choices) {
    for (const VersionLaw& law : choice.laws.versions) floor = std::min(floor, law.curve.floor);
  }
  return floor;
}

}  // namespace

Obstacle find_obstacle(const Problem& problem, const Goal& goal, const Solved& solved) {
  SURETY_CHECK(!solved.plan);
  const Outcome& best = solved.best_effort.outcome;
  if (!learned(problem)) {
    return {"profile", "no profiled version got better than its untrained model"};
  }
  if (reachable_probability(problem, goal, true) < goal.probability) {
    const Setting setting = make_setting(problem, problem.choices.back(), goal);
    if (setting.evaluation_se > 0 &&
        reachable_probability(problem, goal, false) >= goal.probability) {
      return {"data",
              fmt::format("an evaluation is uncertain by {:.4g}, so training would have to go on "
                          "to {:.4g}, which no version reaches: use more validation data",
                          setting.evaluation_se, setting.stop_metric)};
    }
    return {"floor", fmt::format("however long it trains, no version reaches {:.4g} often enough: "
                                 "the lowest level that its curve tends to is {:.4g}",
                                 setting.stop_metric, lowest_floor(problem))};
  }
  if (goal.budget && best.probability >= goal.probability) {
    return {"budget", fmt::format("the target can be met in time, but not within {:.4g} in 95 % "
                                  "of the runs",
                                  *goal.budget)};
  }
  return {"deadline", fmt::format("the target can be met, but by the deadline only with "
                                  "probability {:.3f} ({})",
                                  best.probability, solved.best_effort.what)};
}

NearestGoals nearest_goals(const Problem& problem, const Goal& goal, const Solved& solved) {
  SURETY_CHECK(!solved.plan);
  return {.target = nearest_target(problem, goal),
          .probability = nearest_probability(problem, goal),
          .deadline_s = nearest_deadline(problem, goal),
          .budget = nearest_budget(problem, goal)};
}

}  // namespace surety::plan
