#include "plan/planner/make_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/words.h"
#include "plan/decision/policy.h"
#include "plan/decision/simulate.h"
#include "plan/planner/assumptions.h"
#include "plan/planner/closed_plan.h"
#include "plan/planner/nearest.h"
#include "plan/planner/obstacle.h"
#include "plan/problem/problem.h"
#include "plan/schedules/certify.h"
#include "plan/schedules/pipeline.h"
#include "plan/schedules/solve_mean.h"
#include "plan/support.h"

namespace surety::plan {
namespace {

std::vector<Block> make_blocks(const Setting& setting, const Solution& solution,
                               const Outcome& outcome) {
  std::vector<Block> blocks;
  for (const BlockTime& time : block_times(setting, solution.schedule)) {
    blocks.push_back(block_of(setting, time.variant));
    blocks.back().passes = time.passes;
    blocks.back().switch_s = time.switch_s;
  }
  blocks.back().passes = std::max(outcome.last_passes_95, 1u);
  return blocks;
}

std::string make_reason(const DataChoice& data, const Solution& solution, const Solved& solved,
                        bool feasible) {
  const std::size_t kinds = solved.others.size() + 1;
  const std::string which = kinds == 1 ? "the only kind of schedule"
                                       : fmt::format("the {} of {} kinds of schedules",
                                                     feasible ? "cheapest" : "most likely", kinds);
  const std::string text = fmt::format("{}: {}, which {} the promise in simulated runs",
                                       solution.what, which, feasible ? "keeps" : "misses");
  return fmt::format("{}; data: {}", text, data.reason);
}

// The setting with one variant for each leg, in the order of the legs.
Setting setting_of_legs(Setting setting, const Schedule& schedule) {
  std::vector<Variant> legs;
  for (const Leg& leg : schedule) legs.push_back(setting.variants[leg.variant]);
  setting.variants = std::move(legs);
  return setting;
}

Plan plan_of_schedule(const Problem& problem, const Promise& promise, const Goal& goal,
                      const Solution& solution, const Solved& solved) {
  const DataLaws& choice = problem.choices[solution.choice];
  const Setting setting = make_setting(problem, choice, goal);
  // Uses the random numbers of the decision, now with bands.
  const Outcome outcome = simulate(setting, solution.schedule,
                                   {.seed = final_seed(problem.options),
                                    .runs = problem.options.simulated_runs,
                                    .bands = band_steps(setting, solution.outcome)});
  Plan plan;
  plan.planner = problem.options.planner;
  plan.data = choice.data.names;
  plan.blocks = make_blocks(setting, solution, outcome);
  plan.stop_metric = setting.stop_metric;
  plan.certify_s = setting.certify_s;
  Claims& claims = plan.claims.emplace();
  claims.setting = setting_of_legs(setting, solution.schedule);
  fill_numbers(outcome, claims);
  for (Usage& usage : claims.usage) {  // Usage is by variant; a schedule's blocks are its legs.
    const auto leg = std::ranges::find(solution.schedule, usage.block, &Leg::variant);
    usage.block = static_cast<std::uint32_t>(leg - solution.schedule.begin());
  }
  claims.support.percentile = percentile_probability(problem, goal, promise.confidence, solution);
  claims.support.seeds = fewest_seeds(setting.laws);
  claims.probability_lower = supported_probability(claims.support.percentile, setting.laws);
  claims.support.seeds_needed = seeds_needed(goal.probability, promise.confidence);
  claims.support.binding = BoundKind::kPercentileMargin;
  for (const Solution& other : solved.others) {
    claims.runners_up.push_back({other.what, other.outcome.cost_mean, other.outcome.probability});
  }
  claims.assumptions = check_assumptions(problem, setting, choice, solution.schedule,
                                         claims.probability_lower, promise);
  plan.reason = make_reason(choice.data, solution, solved, solved.plan.has_value());
  return plan;
}

Infeasible refuse(const Promise& promise, const Obstacle& obstacle, const NearestGoals& nearest,
                  Plan best_effort) {
  Infeasible infeasible;
  infeasible.reason_class = obstacle.reason_class;
  infeasible.reason = obstacle.reason;
  infeasible.target = nearest.target;
  if (nearest.target && promise.metric == Metric::kAccuracy)
    infeasible.target = 1 - *nearest.target;
  infeasible.probability = nearest.probability;
  infeasible.deadline_s = nearest.deadline_s;
  infeasible.budget = nearest.budget;
  infeasible.best_effort = std::move(best_effort);
  return infeasible;
}

// The policy has this probability. It is simulated again without the job's limit for passes, if
// that could change it.
Closest closest_of(const Problem& problem, Setting setting, const Policy& policy,
                   double probability, std::string what) {
  Closest closest{.probability = probability,
                  .probability_without_limit = probability,
                  .what = std::move(what)};
  if (setting.passes_max >= kSimulatedPassesMax) return closest;
  setting.passes_max = kSimulatedPassesMax;
  closest.probability_without_limit =
      simulate(setting, policy,
               {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs})
          .probability;
  return closest;
}

Decision decide_schedule(const Problem& problem, const Promise& promise, const Goal& goal) {
  const bool by_means = problem.options.planner == Planner::kMean;
  const Solved solved = by_means ? solve_mean(problem, goal) : solve(problem, goal);
  if (solved.plan) return plan_of_schedule(problem, promise, goal, *solved.plan, solved);
  const NearestGoals nearest = nearest_goals(problem, goal, solved);
  const Solution& best = solved.best_effort;
  const Setting setting = make_setting(problem, problem.choices[best.choice], goal);
  const Closest closest = closest_of(problem, setting, FixedSchedule(setting, best.schedule),
                                     best.outcome.probability, best.what);
  return refuse(promise, find_obstacle(problem, goal, closest, nearest), nearest,
                plan_of_schedule(problem, promise, goal, solved.best_effort, solved));
}

// The number of seeds that would support the promise if further seeds were like the existing ones.
std::optional<std::uint32_t> seeds_to_add_up_to(const Problem& problem, const Promise& promise,
                                                const Goal& goal, const ClosedSolution& closed,
                                                std::uint32_t seeds) {
  const std::uint32_t fewest = seeds_to_support(goal.probability);
  if (closed.calibration.supported) return fewest;
  const auto factor = seeds_factor_needed(problem, goal, closed, promise.confidence);
  if (!factor) return std::nullopt;
  return std::max(*factor * seeds, fewest);
}

// The laws keep the promise, but the profile does not support it.
Infeasible refuse_for_seeds(const Problem& problem, const Promise& promise, const Goal& goal,
                            const ClosedSolution& closed, const NearestGoals& nearest, Plan plan) {
  const Claims& claims = *plan.claims;
  const std::uint32_t seeds = claims.support.seeds;
  const auto needed = seeds_to_add_up_to(problem, promise, goal, closed, seeds);
  const std::string why =
      closed.calibration.supported
          ? fmt::format("{:.1f} % at most, because {} may have learned unusually well",
                        100 * closed.most_supported, seeds == 1 ? "it" : "all of them")
          : fmt::format("{:.1f} % with confidence {:.4g} %", 100 * claims.probability_lower,
                        100 * promise.confidence);
  Obstacle obstacle;
  obstacle.reason_class = ReasonClass::kSeeds;
  obstacle.reason = fmt::format(
      "under the fitted laws the promise is kept with a probability of {:.1f} %, but a profile of "
      "{} supports only {}: {}",
      100 * claims.probability, counted(seeds, "seed"), why,
      needed
          ? fmt::format("about {} seeds would be enough, if the others are like these", *needed)
          : fmt::format("not even {} seeds like these would be enough", kSeedsFactorMax * seeds));
  Infeasible infeasible = refuse(promise, obstacle, nearest, std::move(plan));
  infeasible.seeds = needed;
  return infeasible;
}

// The policy may miss a promise that a fixed schedule barely keeps, because of rounding and because
// its belief is approximate.
std::optional<Plan> fixed_instead(const Problem& problem, const Promise& promise, const Goal& goal,
                                  const Solved& fixed) {
  if (!fixed.plan) return std::nullopt;
  Plan plan = plan_of_schedule(problem, promise, goal, *fixed.plan, fixed);
  if (plan.claims->probability_lower < goal.probability) return std::nullopt;
  plan.planner = Planner::kOpenLoop;
  plan.reason = "no closed-loop policy was found that keeps the promise, but " + plan.reason;
  return plan;
}

Decision decide_closed(const Problem& problem, const Promise& promise, const Goal& goal) {
  const ClosedSolution closed = solve_closed(problem, goal, promise.confidence);
  const Solved fixed = solve(problem, goal);
  Plan plan = plan_of_policy(problem, promise, goal, closed, fixed);
  if (closed.keeps(goal)) return plan;
  if (auto instead = fixed_instead(problem, promise, goal, fixed)) return std::move(*instead);
  const NearestGoals nearest = nearest_goals(problem, goal, closed, promise.confidence);
  if (closed.outcome.probability >= goal.probability && closed.outcome.keeps(goal.budget)) {
    return refuse_for_seeds(problem, promise, goal, closed, nearest, std::move(plan));
  }
  const ClosedLoop& policy = *closed.calibration.policy;
  const Closest closest = closest_of(problem, policy.model().setting(), policy,
                                     closed.outcome.probability, "the most dependable policy");
  return refuse(promise, find_obstacle(problem, goal, closest, nearest), nearest, std::move(plan));
}

}  // namespace

Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                           const PlanOptions& options) {
  SURETY_CHECK(options.planner != Planner::kByHand);
  SURETY_TRY(const Problem problem, make_problem(instance, profile, options));
  const Goal goal = make_goal(instance.promise);
  if (options.planner == Planner::kClosedLoop) {
    return decide_closed(problem, instance.promise, goal);
  }
  return decide_schedule(problem, instance.promise, goal);
}

}  // namespace surety::plan
