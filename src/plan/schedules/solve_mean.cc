#include "plan/schedules/solve_mean.h"

#include <algorithm>

#include "base/random.h"
#include "plan/decision/setting_mdp.h"
#include "plan/schedules/calibrated.h"

namespace surety::plan {
namespace {

std::optional<Solution> solve_choice(const Problem& problem, std::size_t choice, const Goal& goal) {
  const Setting setting = make_setting(problem, problem.choices[choice], goal);
  const MdpOptions grid{problem.options.levels, problem.options.ticks};
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  const Mdp mdp = make_mdp(setting, levels, grid, RunClass{});
  const std::vector<MdpStart> starts = make_starts(setting, levels);
  const std::uint32_t runs = std::max<std::uint32_t>(problem.options.simulated_runs / 4, 50);
  const auto try_out = [&](const Schedule& schedule) {
    const Outcome outcome =
        simulate(setting, schedule, {.seed = mix64(problem.options.seed), .runs = runs});
    return ScheduleOutcome{outcome.probability, outcome.cost_mean};
  };
  MeanOptions options;
  options.target = setting.stop_metric;
  // Three blocks are hardly better here and take hundreds of times as long.
  options.blocks_max = 2;
  const auto found = mean_plan(mdp, starts, mean_curves(setting, mdp, starts), try_out,
                               goal.probability, options, {});
  if (!found) return std::nullopt;
  Solution solution{choice, found->schedule, describe(setting, found->schedule), {}};
  solution.outcome =
      simulate(setting, solution.schedule,
               {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs});
  return solution;
}

}  // namespace

Solved solve_mean(const Problem& problem, const Goal& goal) {
  std::vector<Solution> solutions;
  for (std::size_t choice = 0; choice < problem.choices.size(); ++choice) {
    if (auto solution = solve_choice(problem, choice, goal)) {
      solutions.push_back(std::move(*solution));
    }
  }
  // If no mean path meets the target in time, the closest plan comes from the fixed schedules.
  if (solutions.empty()) {
    const Solved closest = solve(problem, goal);
    return {std::nullopt, closest.best_effort, closest.others};
  }
  const auto keeps = [&](const Solution& one) {
    return one.outcome.probability >= goal.probability;
  };
  std::stable_sort(solutions.begin(), solutions.end(), [&](const Solution& a, const Solution& b) {
    if (keeps(a) != keeps(b)) return keeps(a);
    return keeps(a) ? a.outcome.cost_mean < b.outcome.cost_mean
                    : a.outcome.probability > b.outcome.probability;
  });
  Solved solved;
  solved.best_effort = solutions.front();
  if (keeps(solutions.front())) solved.plan = solutions.front();
  solved.others.assign(solutions.begin() + 1, solutions.end());
  return solved;
}

}  // namespace surety::plan
