#include "plan/planner/obstacle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"
#include "base/words.h"

namespace surety::plan {
namespace {

template <typename Visit>
void for_each_law(const Problem& problem, Visit&& visit) {
  for (const DataLaws& choice : problem.choices) {
    for (const Laws& laws : choice.measured) {
      for (const VersionLaw& law : laws.versions) visit(laws, law);
    }
  }
}

bool learned(const Problem& problem) {
  bool any = false;
  for_each_law(problem, [&](const Laws&, const VersionLaw& law) {
    any = any || law.metric_min < law.curve.at(0) * (1 - 1e-6);
  });
  return any;
}

// Whether every fitted floor is above `metric`, and a floor at `metric` would fit the points worse
// by more than chance. (Four points of a curve do not determine a floor.) F test of one parameter
// (5 % at 4 degrees of freedom, stricter for more).
bool is_floor_clear(const Problem& problem, double metric) {
  static constexpr double kParameters = 4;
  static constexpr double kFRatio = 7.7;
  bool clear = true;
  for_each_law(problem, [&](const Laws& laws, const VersionLaw& law) {
    if (!clear) return;
    const auto by_workers = runs_by_workers(problem.runs, law.version, laws.data_fraction);
    const std::vector<FitPoint> points = median_curve(not_stuck(by_workers.at(law.workers)));
    const double degrees = static_cast<double>(points.size()) - kParameters;
    if (law.curve.floor <= metric || law.fit_error > kFitErrorMax || degrees < 1) {
      clear = false;
      return;
    }
    const double free = fit_curve(points).score;
    clear = (fit_curve(points, metric).score - free) * degrees > kFRatio * free;
  });
  return clear;
}

const VersionLaw& lowest_by(const Problem& problem, double (*key)(const VersionLaw&)) {
  const VersionLaw* lowest = &problem.choices[0].measured[0].versions[0];
  for_each_law(problem, [&](const Laws&, const VersionLaw& law) {
    if (key(law) < key(*lowest)) lowest = &law;
  });
  return *lowest;
}

double shown(const Goal& goal, double metric) { return goal.accuracy ? 1 - metric : metric; }

Obstacle not_measured(const Problem& problem, const Goal& goal, double stop_metric,
                      const NearestGoals& nearest) {
  const VersionLaw& lowest =
      lowest_by(problem, [](const VersionLaw& law) { return law.metric_min; });
  double passes = std::numeric_limits<double>::infinity();
  for_each_law(problem, [&](const Laws&, const VersionLaw& law) {
    passes = std::min(passes, law.curve.progress(stop_metric) / law.rate);
  });
  static constexpr double kPassesReportedMax = 1e6;  // More passes would not be useful advice.
  std::string text = fmt::format(
      "the target lies {} all measurements ({} {:.4g} after {} passes), and an extrapolation is "
      "not reliable: profile longer",
      goal.accuracy ? "above" : "below", goal.accuracy ? "highest" : "lowest",
      shown(goal, lowest.metric_min), lowest.passes);
  if (passes < kPassesReportedMax) {
    text += fmt::format(" (about {:.0f} passes by the fitted curve)", std::ceil(passes));
  }
  if (nearest.target) {
    text += fmt::format(", or promise {} {:.4g}",
                        goal.accuracy ? "<=" : ">=", shown(goal, *nearest.target));
  }
  return {ReasonClass::kProfile, text};
}

// No version reaches the target often enough in any time.
Obstacle unreachable(const Problem& problem, const Goal& goal, const NearestGoals& nearest,
                     double reachable) {
  const Setting setting = make_setting(problem, problem.choices.back(), goal);
  const double needed = goal.probability;
  const double margin = goal.target - setting.stop_metric;
  const auto needs_more_data = [&](std::string_view why_not) {
    return Obstacle{ReasonClass::kData,
                    fmt::format("an evaluation is uncertain by {:.4g}. So the deciding data would "
                                "have to show {} that is better than the target by {:.4g}, but {}: "
                                "use more validation data, or another target",
                                setting.evaluation_se, goal.accuracy ? "an accuracy" : "a value",
                                margin, why_not)};
  };
  // An accuracy above 1.
  if (goal.accuracy && setting.stop_metric < 0)
    return needs_more_data("no model can have such an accuracy");
  if (setting.evaluation_se > 0 &&
      reachable_probability(problem, goal, {.margin = true}) >= needed) {
    return needs_more_data("no version reaches it");
  }
  const VersionLaw& best =
      lowest_by(problem, [](const VersionLaw& law) { return law.stuck_share; });
  if (best.stuck_share > 0 && reachable_probability(problem, goal, {.stuck = true}) >= needed) {
    return {ReasonClass::kStuck,
            fmt::format("in the profile {} of {} seeds of {} on {} nodes never learned, so at most "
                        "{:.1f} % of the runs reach the target: make training more stable (a lower "
                        "learning rate), or profile more seeds",
                        best.stuck_seeds, best.seeds, best.version, best.workers, 100 * reachable)};
  }
  const double supported = lowest_by(problem, [](const VersionLaw& law) {
                             return law.metric_supported;
                           }).metric_supported;
  if (supported <= setting.stop_metric) {
    return {ReasonClass::kFloor,
            fmt::format("under the fitted laws, however long training lasts, at most "
                        "{:.1f} % of the runs reach {:.4g}",
                        100 * reachable, shown(goal, setting.stop_metric))};
  }
  if (is_floor_clear(problem, setting.stop_metric)) {
    const double floor =
        lowest_by(problem, [](const VersionLaw& law) { return law.curve.floor; }).curve.floor;
    return {ReasonClass::kFloor,
            fmt::format("under the fitted laws, however long training lasts, no version "
                        "reaches {:.4g}{}: the {} limit of a curve is {:.4g}",
                        shown(goal, setting.stop_metric),
                        margin > 0 ? ", the target with the margin of an evaluation" : "",
                        goal.accuracy ? "highest" : "lowest", shown(goal, floor))};
  }
  return not_measured(problem, goal, setting.stop_metric, nearest);
}

Obstacle too_few_passes(const Problem& problem, double probability) {
  return {ReasonClass::kPasses,
          fmt::format("training ends after {} (train.passes_max), and until then only {:.1f} % of "
                      "the runs reach the target: allow more passes",
                      counted(problem.passes_max, "pass"), 100 * probability)};
}

}  // namespace

Obstacle find_obstacle(const Problem& problem, const Goal& goal, const Closest& closest,
                       const NearestGoals& nearest) {
  if (!learned(problem)) {
    return {ReasonClass::kProfile, "no profiled version became better than its untrained model"};
  }
  const double reachable = reachable_probability(problem, goal, {});
  if (reachable < goal.probability) {
    if (reachable_probability(problem, goal, {.passes = true}) >= goal.probability) {
      return too_few_passes(problem, reachable);
    }
    return unreachable(problem, goal, nearest, reachable);
  }
  if (closest.probability < goal.probability &&
      closest.probability_without_limit >= goal.probability) {
    return too_few_passes(problem, closest.probability);
  }
  if (goal.budget && nearest.budget) {
    return {ReasonClass::kBudget,
            fmt::format("the target can be met in time, but not with a budget of {:.4g}",
                        *goal.budget)};
  }
  return {ReasonClass::kDeadline,
          fmt::format(
              "the target can be met, but by the deadline only with a probability of {:.1f} % ({})",
              100 * closest.probability, closest.what)};
}

std::optional<std::uint32_t> seeds_factor_needed(const Problem& problem, const Goal& goal,
                                                 const ClosedSolution& closed, double confidence) {
  const ClosedLoop& policy = *closed.calibration.policy;
  const std::uint32_t runs = std::max<std::uint32_t>(problem.options.simulated_runs / 10, 50);
  for (std::uint32_t factor = 2; factor <= kSeedsFactorMax; factor *= 2) {
    std::vector<double> probabilities;
    for (const Setting& world :
         draw_worlds(problem, closed.choice, goal, problem.options.worlds, factor)) {
      probabilities.push_back(
          simulate(world, policy, {.seed = final_seed(problem.options), .runs = runs}).probability);
    }
    if (percentile_of(std::move(probabilities), confidence) >= goal.probability) return factor;
  }
  return std::nullopt;
}

}  // namespace surety::plan
