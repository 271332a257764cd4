#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/random.h"
#include "plan/assumptions.h"
#include "plan/certify.h"
#include "plan/nearest.h"
#include "plan/pipeline.h"
#include "plan/make_plan.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kBands = 20;

std::vector<Block> make_blocks(const Setting& setting, const Solution& solution,
                               const Outcome& outcome) {
  const std::vector<BlockTime> times = block_times(setting, solution.schedule);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Variant& variant = setting.variants[solution.schedule[i].variant];
    blocks.push_back({setting.laws.versions[variant.version].version, times[i].passes,
                      variant.nodes, times[i].pass_s, times[i].switch_s});
  }
  blocks.back().passes = std::max(outcome.last_passes_95, 1u);
  return blocks;
}

std::string make_reason(const DataChoice& data, const Solution& solution, const Solved& solved,
                        bool feasible) {
  const std::size_t kinds = solved.others.size() + 1;
  const std::string which = kinds == 1 ? "the only kind of schedule"
                                       : fmt::format("the {} of {} kinds of schedules",
                                                     feasible ? "cheapest" : "likeliest", kinds);
  const std::string text = fmt::format("{}: {}, simulated to {} the promise", solution.what, which,
                                       feasible ? "keep" : "miss");
  return fmt::format("{}; data: {}", text, data.reason);
}

// Bands cover what nearly all runs need, so that a short run in a long time does not fall between
// two points.
double band_seconds(const Setting& setting, const Outcome& outcome) {
  return outcome.seconds_95 > 0 ? outcome.seconds_95 : setting.deadline_s;
}

Plan make_plan_from(const Problem& problem, const Promise& promise, const Goal& goal,
                    const Solution& solution, const Solved& solved) {
  const DataLaws& choice = problem.choices[solution.choice];
  const Setting setting = make_setting(problem, choice, goal);
  // The same random numbers as the numbers that decided, now with bands.
  const Outcome outcome = simulate(setting, solution.schedule,
                                   {.seed = final_seed(problem.options),
                                    .runs = problem.options.simulated_runs,
                                    .bands = kBands,
                                    .bands_s = band_seconds(setting, solution.outcome)});
  Plan plan;
  plan.data = choice.data.names;
  plan.blocks = make_blocks(setting, solution, outcome);
  plan.stop_metric = setting.stop_metric;
  plan.certify_s = setting.certify_s;
  plan.probability = outcome.probability;
  plan.probability_lower = lower_probability(problem, goal, promise.confidence, solution);
  plan.cost_mean = outcome.cost_mean;
  plan.cost_95 = outcome.cost_95;
  plan.seconds_mean = outcome.seconds_mean;
  plan.seconds_95 = outcome.seconds_95;
  plan.bands = outcome.bands;
  for (const Solution& other : solved.others) {
    plan.runners_up.push_back({other.what, other.outcome.cost_mean, other.outcome.probability});
  }
  plan.assumptions =
      check_assumptions(problem, setting, solution, plan.probability_lower, promise.confidence);
  plan.reason = make_reason(choice.data, solution, solved, solved.plan.has_value());
  return plan;
}

}  // namespace

Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                           const PlanOptions& options) {
  SURETY_TRY(const Problem problem, make_problem(instance, profile, options));
  const Promise& promise = instance.promise;
  const Goal goal = make_goal(promise);
  const Solved solved = solve(problem, goal);
  if (solved.plan) return make_plan_from(problem, promise, goal, *solved.plan, solved);

  const NearestGoals nearest = nearest_goals(problem, goal, solved);
  const Obstacle obstacle = find_obstacle(problem, goal, solved, nearest);
  Infeasible infeasible;
  infeasible.reason_class = obstacle.reason_class;
  infeasible.reason = obstacle.reason;
  infeasible.target = nearest.target;
  if (nearest.target && promise.metric == Metric::kAccuracy)
    infeasible.target = 1 - *nearest.target;
  infeasible.probability = nearest.probability;
  infeasible.deadline_s = nearest.deadline_s;
  infeasible.budget = nearest.budget;
  infeasible.seeds = seeds_needed(promise.probability, promise.confidence);
  infeasible.best_effort = make_plan_from(problem, promise, goal, solved.best_effort, solved);
  return infeasible;
}

}  // namespace surety::plan
