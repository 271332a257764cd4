#include "plan/closed_loop/solve_closed.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "base/random.h"
#include "plan/decision/hindsight.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"
#include "plan/support.h"

namespace surety::plan {
namespace {

// Largest number of data choices that are tried on drawn laws.
constexpr std::size_t kCertified = 3;

CalibrateOptions calibrate_options(const Problem& problem, double confidence) {
  const PlanOptions& options = problem.options;
  return {.seed = mix64(options.seed),
          .runs = std::max<std::uint32_t>(options.simulated_runs / 4, 50),
          .world_runs = std::max<std::uint32_t>(options.simulated_runs / 10, 50),
          .refinements = 4,
          .confidence = confidence,
          .again = CalibrateOptions::Again{final_seed(options), options.simulated_runs}};
}

// Ranking the choices does not need full precision; this takes at most an eighth of the work.
ClosedLoopOptions coarse(ClosedLoopOptions options) {
  options.grid.levels = std::max(options.grid.levels / 2, 10u);
  options.grid.ticks = std::max(options.grid.ticks / 2, 1u);
  options.classes = std::min(options.classes, 3u);
  return options;
}

// Data choices ranked by the fitted laws: first those that keep the promise, by cost, then the
// others, by probability.
std::vector<std::size_t> rank_choices(const Problem& problem, const Goal& goal,
                                      CalibrateOptions options) {
  if (problem.choices.size() == 1) return {0};
  options.refinements = 0;
  options.again.reset();
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

std::vector<std::size_t> all_choices(const Problem& problem) {
  std::vector<std::size_t> all(problem.choices.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Checked on the runs that decide.
bool can_be_kept(const Problem& problem, const Setting& setting) {
  return hindsight_keeps(setting, setting.probability, final_seed(problem.options),
                         problem.options.simulated_runs);
}

// The percentile for a plan, or for estimating the effect of more seeds. If not even the fitted
// laws keep the promise, no decision depends on the percentile, and an eighth of the runs is
// enough.
double percentile_for(const Problem& problem, const Goal& goal, const ClosedSolution& solution,
                      CalibrateOptions options) {
  static constexpr std::uint32_t kFewer = 8;
  static constexpr std::uint32_t kRunsMin = 50;
  const std::vector<Setting> worlds =
      draw_worlds(problem, solution.choice, goal, problem.options.worlds);
  if (worlds.empty()) return solution.calibration.outcome.probability;
  if (!solution.calibration.keeps && solution.outcome.probability < goal.probability) {
    options.world_runs = std::max(options.world_runs / kFewer, kRunsMin);
  }
  return percentile_of_worlds(*solution.calibration.policy, worlds, options);
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
  Effort effort;
  for (const std::size_t choice : rank_choices(problem, goal, options)) {
    const Setting setting = make_setting(problem, problem.choices[choice], goal);
    // The first choice is needed in any case, because it comes closest if none keeps the promise.
    if (closest && !can_be_kept(problem, setting)) {
      effort.refused_by_bound += 1;
      continue;
    }
    const auto model =
        std::make_shared<const ClosedLoopModel>(setting, closed_loop_options(problem.options));
    const std::vector<Setting> worlds = draw_worlds(problem, choice, goal, problem.options.worlds);
    ClosedSolution solution;
    solution.choice = choice;
    solution.calibration = calibrate(model, goal.probability, worlds, options);
    effort.policies += static_cast<std::uint32_t>(solution.calibration.tried.size());
    solution.outcome = solution.calibration.again;
    solution.most_supported = most_supported(fewest_seeds(problem.choices[choice].laws));
    const bool keeps = solution.keeps(goal);
    if (keeps || !closest) closest = std::move(solution);
    if (keeps) break;
  }
  SURETY_CHECK(closest.has_value());
  closest->percentile = percentile_for(problem, goal, *closest, options);
  closest->effort = effort;
  return std::move(*closest);
}

bool can_keep(const Problem& problem, const Goal& goal, double confidence, std::size_t first,
              Effort& effort) {
  const CalibrateOptions options = calibrate_options(problem, confidence);
  std::vector<std::size_t> choices = problem.choices.size() > kCertified
                                         ? rank_choices(problem, goal, options)
                                         : all_choices(problem);
  std::stable_partition(choices.begin(), choices.end(),
                        [&](std::size_t choice) { return choice == first; });
  for (const std::size_t choice : choices) {
    const DataLaws& its = problem.choices[choice];
    if (most_supported(fewest_seeds(its.laws)) < goal.probability) continue;
    const Setting setting = make_setting(problem, its, goal);
    if (!can_be_kept(problem, setting)) {
      effort.refused_by_bound += 1;
      continue;
    }
    const auto model =
        std::make_shared<const ClosedLoopModel>(setting, closed_loop_options(problem.options));
    effort.policies += 1;
    const std::vector<Setting> worlds = draw_worlds(problem, choice, goal, problem.options.worlds);
    if (can_calibrate(model, goal.probability, worlds, options)) return true;
  }
  return false;
}

}  // namespace surety::plan
