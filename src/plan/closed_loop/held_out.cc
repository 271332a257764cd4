#include "plan/closed_loop/held_out.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "base/random.h"
#include "base/statistics.h"
#include "plan/closed_loop/closed_loop.h"
#include "plan/closed_loop/solve_closed.h"

namespace surety::plan {
namespace {

constexpr std::size_t kSeedsMin = 4;

const ProfileRun* find_run(const Problem& problem, const Laws& laws, const VersionLaw& law,
                           std::uint32_t seed) {
  for (const ProfileRun& run : problem.runs) {
    if (run.version == law.version && run.workers == law.workers && run.seed == seed &&
        run.data_fraction == laws.data_fraction) {
      return &run;
    }
  }
  return nullptr;
}

// Seeds that have a run of every measured law.
std::vector<std::uint32_t> complete_seeds(const Problem& problem, const DataLaws& choice) {
  std::set<std::uint32_t> seeds;
  for (const ProfileRun& run : problem.runs) seeds.insert(run.seed);
  for (const Laws& laws : choice.measured) {
    for (const VersionLaw& law : laws.versions) {
      std::erase_if(
          seeds, [&](std::uint32_t seed) { return find_run(problem, laws, law, seed) == nullptr; });
    }
  }
  return {seeds.begin(), seeds.end()};
}

std::vector<Laws> fit_again(const Problem& problem, const std::vector<ProfileRun>& runs,
                            const DataLaws& choice) {
  std::vector<Laws> fitted;
  for (const Laws& measured : choice.measured) {
    FitOptions fit = problem.fit;
    fit.near = &measured;
    fitted.push_back(
        fit_laws(problem.versions, runs, problem.profile.switches, measured.data_fraction, fit));
  }
  return fitted;
}

// Progress between evaluations, by the law's curve. Several passes between two evaluations share it
// equally.
std::vector<double> steps_of(const ProfileRun& run, const VersionLaw& law) {
  const auto progress = [&](double metric) {
    return law.curve.progress(std::max(metric, law.curve.lowest()));
  };
  std::vector<double> steps;
  for (std::size_t i = 1; i < run.points.size(); ++i) {
    const std::uint32_t passes = run.points[i].pass - run.points[i - 1].pass;
    const double step = progress(run.points[i].metric) - progress(run.points[i - 1].metric);
    steps.insert(steps.end(), passes, step / passes);
  }
  // A seed starts at its own initial model; runs of the law start at progress 0.
  if (!steps.empty()) steps.front() += progress(run.points.front().metric);
  return steps;
}

}  // namespace

HeldOut test_held_out(const Problem& problem, const DataLaws& choice, const Goal& goal,
                      double lambda, double confidence) {
  const std::vector<std::uint32_t> seeds = complete_seeds(problem, choice);
  if (seeds.size() < kSeedsMin) return {};
  std::set<std::uint32_t> learned;
  for (std::size_t i = 0; i < seeds.size(); i += 2) learned.insert(seeds[i]);
  std::vector<ProfileRun> runs;
  for (const ProfileRun& run : problem.runs) {
    if (learned.contains(run.seed)) runs.push_back(run);
  }
  Setting setting = make_setting(problem, choice, goal);
  const std::vector<Laws> fitted = fit_again(problem, runs, choice);
  setting.laws = on_data(fitted, choice.data);
  const auto model =
      std::make_shared<const ClosedLoopModel>(setting, closed_loop_options(problem.options));
  const ClosedLoop policy(model, lambda);
  HeldOut result;
  for (std::size_t i = 1; i < seeds.size(); i += 2) {
    Replay replay;
    for (std::size_t v = 0; v < setting.laws.versions.size(); ++v) {
      // Between two fractions, the seed is as lucky as on the smaller one.
      const VersionLaw& law = setting.laws.versions[v];
      const VersionLaw& replayed = fitted.front().versions[v];
      const ProfileRun* run = find_run(problem, choice.measured.front(), replayed, seeds[i]);
      replay.steps.push_back(steps_of(*run, replayed));
      for (double& step : replay.steps.back()) step *= law.rate / replayed.rate;
    }
    const Outcome outcome =
        simulate(setting, policy,
                 {.seed = mix64(problem.options.seed + seeds[i]), .runs = 1, .replay = &replay});
    result.runs += 1;
    result.successes += outcome.probability > 0;
  }
  result.lower = binomial_lower(result.successes, result.runs, confidence);
  result.limit = std::pow(1 - confidence, 1.0 / result.runs);
  return result;
}

}  // namespace surety::plan
