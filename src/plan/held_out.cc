#include "plan/held_out.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "base/random.h"
#include "plan/closed_loop.h"
#include "plan/solve_closed.h"
#include "plan/statistics.h"

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

// Of the runs of all laws.
std::vector<std::uint32_t> complete_seeds(const Problem& problem, const Laws& laws) {
  std::set<std::uint32_t> seeds;
  for (const ProfileRun& run : problem.runs) seeds.insert(run.seed);
  std::vector<std::uint32_t> complete;
  for (const std::uint32_t seed : seeds) {
    if (std::ranges::all_of(laws.versions, [&](const VersionLaw& law) {
          return find_run(problem, laws, law, seed) != nullptr;
        })) {
      complete.push_back(seed);
    }
  }
  return complete;
}

// Progress between evaluations by the law's curve; several passes between two are shared evenly.
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
  // A seed starts where its initial model is, the law's runs at progress 0.
  if (!steps.empty()) steps.front() += progress(run.points.front().metric);
  return steps;
}

}  // namespace

HeldOut test_held_out(const Problem& problem, const DataLaws& choice, const Goal& goal,
                      double lambda, double confidence) {
  const std::vector<std::uint32_t> seeds = complete_seeds(problem, choice.laws);
  if (seeds.size() < kSeedsMin) return {};
  std::set<std::uint32_t> learned;
  for (std::size_t i = 0; i < seeds.size(); i += 2) learned.insert(seeds[i]);
  std::vector<ProfileRun> runs;
  for (const ProfileRun& run : problem.runs) {
    if (learned.contains(run.seed)) runs.push_back(run);
  }
  Setting setting = make_setting(problem, choice, goal);
  FitOptions fit = problem.fit;
  fit.near = &choice.laws;
  setting.laws = on_data(
      fit_laws(problem.versions, runs, problem.profile.switches, choice.laws.data_fraction, fit),
      choice.data);
  const auto model =
      std::make_shared<const ClosedLoopModel>(setting, closed_loop_options(problem.options));
  const ClosedLoop policy(model, lambda);
  HeldOut result;
  for (std::size_t i = 1; i < seeds.size(); i += 2) {
    Replay replay;
    for (const VersionLaw& law : setting.laws.versions) {
      replay.steps.push_back(steps_of(*find_run(problem, choice.laws, law, seeds[i]), law));
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
