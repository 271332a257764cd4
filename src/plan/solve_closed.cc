#include "plan/solve_closed.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/random.h"

namespace surety::plan {
namespace {

constexpr std::size_t kCertified = 3;  // Data choices that are tried on drawn laws, at most.

CalibrateOptions calibrate_options(const Problem& problem, double confidence) {
  const PlanOptions& options = problem.options;
  return {.seed = mix64(options.seed),
          .runs = std::max<std::uint32_t>(options.simulated_runs / 4, 50),
          .world_runs = std::max<std::uint32_t>(options.simulated_runs / 10, 50),
          .refinements = 2,
          .confidence = confidence};
}

// Those that keep the promise by cost, then the others by probability.
bool is_preferred(const ClosedSolution& a, const ClosedSolution& b) {
  const Outcome &x = a.calibration.outcome, &y = b.calibration.outcome;
  if (a.calibration.keeps != b.calibration.keeps) return a.calibration.keeps;
  if (a.calibration.keeps) return x.cost_mean < y.cost_mean;
  return x.probability > y.probability;
}

}  // namespace

ClosedLoopOptions closed_loop_options(const PlanOptions& options) {
  return {.grid = {options.levels, options.ticks}, .classes = options.classes, .mask = {}};
}

std::vector<Setting> draw_worlds(const Problem& problem, std::size_t choice, const Goal& goal,
                                 std::uint32_t draws, std::uint32_t seeds_factor) {
  SURETY_CHECK(draws <= problem.options.worlds);
  const DataLaws& its = problem.choices[choice];
  auto [it, fresh] = problem.drawn->try_emplace({choice, seeds_factor});
  if (fresh) {
    it->second = draw_laws(problem, its, problem.options.worlds,
                           mix64(problem.options.seed ^ 0x64726177ull), seeds_factor);
  }
  std::vector<Setting> worlds(draws, make_setting(problem, its, goal));
  for (std::uint32_t i = 0; i < draws; ++i) worlds[i].laws = it->second[i];
  return worlds;
}

ClosedSolution solve_closed(const Problem& problem, const Goal& goal, double confidence) {
  const CalibrateOptions options = calibrate_options(problem, confidence);
  std::vector<ClosedSolution> solutions;
  for (std::size_t choice = 0; choice < problem.choices.size(); ++choice) {
    const auto model = std::make_shared<const ClosedLoopModel>(
        make_setting(problem, problem.choices[choice], goal), closed_loop_options(problem.options));
    solutions.push_back({choice, calibrate(model, goal.probability, {}, options), {}});
  }
  std::stable_sort(solutions.begin(), solutions.end(), is_preferred);
  for (std::size_t i = 0; i < std::min(kCertified, solutions.size()); ++i) {
    ClosedSolution& solution = solutions[i];
    const ClosedLoopModel& model = solution.calibration.policy->model();
    const std::vector<Setting> worlds =
        draw_worlds(problem, solution.choice, goal, problem.options.worlds);
    const auto shared = solution.calibration.policy->shared_model();
    solution.calibration = calibrate(shared, goal.probability, worlds, options);
    solution.outcome =
        simulate(model.setting(), *solution.calibration.policy,
                 {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs});
    if (solution.keeps(goal)) return std::move(solution);
  }
  return std::move(solutions.front());
}

}  // namespace surety::plan
