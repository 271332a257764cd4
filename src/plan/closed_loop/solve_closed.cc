#include "plan/closed_loop/solve_closed.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "base/random.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"
#include "plan/support.h"

namespace surety::plan {
namespace {

constexpr std::size_t kCertified = 3;  // Data choices that are tried on drawn laws, at most.

CalibrateOptions calibrate_options(const Problem& problem, double confidence) {
  const PlanOptions& options = problem.options;
  return {.seed = mix64(options.seed),
          .runs = std::max<std::uint32_t>(options.simulated_runs / 4, 50),
          .world_runs = std::max<std::uint32_t>(options.simulated_runs / 10, 50),
          .refinements = 4,
          .confidence = confidence};
}

// The order of the choices does not need their last percent: an eighth of the work or less.
ClosedLoopOptions coarse(ClosedLoopOptions options) {
  options.grid.levels = std::max(options.grid.levels / 2, 10u);
  options.grid.ticks = std::max(options.grid.ticks / 2, 1u);
  options.classes = std::min(options.classes, 3u);
  return options;
}

// Data choices as the fitted laws judge them: those that keep the promise by cost, then the others
// by probability.
std::vector<std::size_t> rank_choices(const Problem& problem, const Goal& goal,
                                      CalibrateOptions options) {
  if (problem.choices.size() == 1) return {0};
  options.refinements = 0;
  std::vector<std::tuple<bool, double, std::size_t>> ranked;
  for (std::size_t choice = 0; choice < problem.choices.size(); ++choice) {
    const auto model = std::make_shared<const ClosedLoopModel>(
        make_setting(problem, problem.choices[choice], goal),
        coarse(closed_loop_options(problem.options)));
    const Calibration found = calibrate(model, goal.probability, {}, options);
    const double key = found.keeps ? found.outcome.cost_mean : -found.outcome.probability;
    ranked.emplace_back(!found.keeps, key, choice);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> result;
  for (const auto& [misses, key, choice] : ranked) result.push_back(choice);
  if (result.size() > kCertified) result.resize(kCertified);
  return result;
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
  std::optional<ClosedSolution> closest;
  for (const std::size_t choice : rank_choices(problem, goal, options)) {
    const auto model = std::make_shared<const ClosedLoopModel>(
        make_setting(problem, problem.choices[choice], goal), closed_loop_options(problem.options));
    const std::vector<Setting> worlds = draw_worlds(problem, choice, goal, problem.options.worlds);
    ClosedSolution solution{choice, calibrate(model, goal.probability, worlds, options), {}};
    solution.most_supported = most_supported(fewest_seeds(problem.choices[choice].laws));
    solution.outcome =
        simulate(model->setting(), *solution.calibration.policy,
                 {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs});
    if (solution.keeps(goal)) return solution;
    if (!closest) closest = std::move(solution);
  }
  SURETY_CHECK(closest.has_value());
  return std::move(*closest);
}

}  // namespace surety::plan
