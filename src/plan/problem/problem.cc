#include "plan/problem/problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"
#include "plan/laws/data_laws.h"
#include "plan/laws/posterior.h"
#include "plan/laws/profile_check.h"
#include "plan/laws/time_model.h"
#include "plan/nodes/placement.h"

namespace surety::plan {
namespace {

// If more numbers of nodes were profiled, they are thinned out.
constexpr std::size_t kVariantsPerVersion = 4;

Result<void> check_promise(const Promise& promise) {
  const auto wrong = [](const char* key, double found, const char* expected) {
    return fail(ErrorCode::kInvalidInput, "promise.{}: found {:.6g}, expected {}", key, found,
                expected);
  };
  const auto inside = [](double p) { return p > 0 && p < 1; };
  if (!std::isfinite(promise.target)) return wrong("target", promise.target, "a finite number");
  if (promise.metric == Metric::kAccuracy && !inside(promise.target)) {
    return wrong("target", promise.target, "an accuracy between 0 and 1 (both excluded)");
  }
  if (!inside(promise.probability)) {
    return wrong("probability", promise.probability,
                 "a number between 0 and 1 (both excluded): no finite profile can support "
                 "certainty; try 0.95");
  }
  if (!inside(promise.confidence)) {
    return wrong("confidence", promise.confidence, "a number between 0 and 1 (both excluded)");
  }
  if (!(promise.deadline_s > 0) || !std::isfinite(promise.deadline_s)) {
    return wrong("deadline", promise.deadline_s, "seconds above 0");
  }
  if (promise.budget && !(*promise.budget >= 0)) {
    return wrong("budget", *promise.budget, "at least 0");
  }
  return {};
}

Result<void> check_data(const std::vector<DataSet>& data) {
  std::set<std::string> names;
  for (const DataSet& set : data) {
    if (!names.insert(set.name).second) {
      return fail(ErrorCode::kInvalidInput, "data: {} is listed twice", set.name);
    }
    if (!(set.price >= 0) || !std::isfinite(set.price)) {
      return fail(ErrorCode::kInvalidInput, "data: {}: price: found {:.4g}, expected at least 0",
                  set.name, set.price);
    }
  }
  return {};
}

Result<std::vector<std::string>> order_versions(std::vector<std::string> versions) {
  if (versions.empty()) {
    return fail(ErrorCode::kInvalidInput, "versions: found none, expected at least the full one");
  }
  std::sort(versions.begin() + 1, versions.end());
  const std::set<std::string> names(versions.begin(), versions.end());
  if (names.size() != versions.size()) {
    return fail(ErrorCode::kInvalidInput, "versions: one of them is listed twice");
  }
  return versions;
}

// Passes of the law's curve down to `metric`.
double passes_to(const VersionLaw& law, double metric) {
  return law.curve.progress(metric) / law.rate;
}

// The exponent with which the passes to the target grow as coverage falls. Coverage is the square
// root of the share of samples if their labels are distributed as in all data. The exponent is
// fitted to the profiled fractions if possible; otherwise the default is used.
void fit_passes(const Laws& less, const Laws& more, const VersionLaw& law, double target,
                DataCosts& costs) {
  static constexpr double kExponentMin = 0.05;
  static constexpr double kExponentMax = 4;
  const auto same = std::ranges::find_if(less.versions, [&](const VersionLaw& other) {
    return other.version == law.version && other.workers == law.workers;
  });
  const VersionLaw& other = same == less.versions.end() ? law : *same;
  const double level = std::max({target, law.metric_supported, other.metric_supported});
  const double passes = passes_to(law, level);
  const double passes_less = passes_to(other, level);
  if (!(passes > 0) || !std::isfinite(passes)) return;
  costs.passes = passes;
  if (!(passes_less > 0) || !std::isfinite(passes_less)) return;
  if (less.data_fraction >= more.data_fraction) return;
  const double coverage_ratio = std::sqrt(more.data_fraction / less.data_fraction);
  costs.exponent = std::clamp(std::log(passes_less / passes) / std::log(coverage_ratio),
                              kExponentMin, kExponentMax);
}

// Training costs on the cheapest nodes, from the laws of the smallest and of the largest fraction.
// Only the order of the data sets and the choice of prefixes depend on it.
DataCosts data_costs(const Instance& instance, const Laws& less, const Laws& more, double target) {
  DataCosts costs;
  double samples = 0;
  for (const DataSet& set : instance.data) samples += static_cast<double>(set.samples);
  const Variant cheapest = make_variants(more, instance.nodes, instance.memory_bytes, 2).front();
  const VersionLaw& law = more.versions[cheapest.version];
  fit_passes(less, more, law, target, costs);
  costs.pass_price = law.time.eval_s * cheapest.price_per_s;
  const double samples_s = law.time.median_s(cheapest.speed) - law.time.eval_s;
  if (samples > 0) {
    costs.sample_price = samples_s * cheapest.price_per_s / (samples * more.data_fraction);
  }
  return costs;
}

}  // namespace

Goal make_goal(const Promise& promise) {
  const bool accuracy = promise.metric == Metric::kAccuracy;
  return {accuracy ? 1 - promise.target : promise.target, promise.probability, promise.deadline_s,
          promise.budget, accuracy};
}

double margin_z(double probability) { return normal_quantile((1 + probability) / 2); }

Result<Problem> make_problem(const Instance& instance, const Profile& profile,
                             const PlanOptions& options) {
  SURETY_TRY(check_promise(instance.promise));
  SURETY_TRY(check_nodes(instance.nodes));
  SURETY_TRY(check_data(instance.data));
  Problem problem;
  SURETY_TRY(problem.versions, order_versions(instance.versions));
  SURETY_TRY(check_memory(instance.nodes, problem.versions, instance.memory_bytes));
  SURETY_TRY(check_profile(problem.versions, profile));
  problem.memory_bytes = instance.memory_bytes;
  problem.passes_max = instance.passes_max;
  problem.options = options;
  problem.profile = profile;
  problem.runs = runs_of(profile);
  if (instance.promise.metric == Metric::kDualityGap) problem.fit.floor_max = 0;

  const std::vector<double> fractions = data_fractions(problem.versions, problem.runs);
  std::vector<Laws> laws;
  for (const double fraction : fractions) {
    laws.push_back(
        fit_laws(problem.versions, problem.runs, profile.switches, fraction, problem.fit));
  }
  problem.nodes = nodes_for(laws, instance.nodes, problem.memory_bytes);
  const DataCosts costs =
      data_costs(instance, laws.front(), laws.back(), make_goal(instance.promise).target);
  for (DataChoice& choice : data_choices(instance.data, fractions, costs)) {
    std::vector<Laws> measured;
    for (const Laws& one : laws) {
      if (one.data_fraction == choice.profiled_fraction ||
          one.data_fraction == choice.profiled_above) {
        measured.push_back(one);
      }
    }
    Laws on_it = on_data(measured, choice);
    problem.choices.push_back({std::move(choice), std::move(on_it), std::move(measured)});
  }
  return problem;
}

Laws on_data(const std::vector<Laws>& measured, const DataChoice& data) {
  SURETY_CHECK(measured.size() == (data.profiled_above ? 2 : 1));
  if (data.profiled_above) {
    const double fraction = std::clamp(data.fraction, data.profiled_fraction, *data.profiled_above);
    return interpolate(measured[0], measured[1], fraction);
  }
  Laws laws = measured[0];
  for (VersionLaw& law : laws.versions) {
    law.time = scaled(law.time, data.fraction / data.profiled_fraction);
  }
  return laws;
}

std::vector<Laws> draw_laws(const Problem& problem, const DataLaws& choice, std::uint32_t draws,
                            std::uint64_t seed, std::uint32_t seeds_factor) {
  std::vector<std::vector<Laws>> drawn(draws);
  for (const Laws& measured : choice.measured) {
    std::vector<Laws> of_one =
        posterior_draws(problem.versions, problem.runs, problem.profile.switches, measured,
                        problem.fit, draws, seed, seeds_factor);
    for (std::size_t i = 0; i < draws; ++i) drawn[i].push_back(std::move(of_one[i]));
  }
  std::vector<Laws> result;
  for (const std::vector<Laws>& one : drawn) result.push_back(on_data(one, choice.data));
  return result;
}

Setting make_setting(const Problem& problem, const DataLaws& choice, const Goal& goal) {
  Setting setting;
  setting.laws = choice.laws;
  setting.variants =
      make_variants(setting.laws, problem.nodes, problem.memory_bytes, kVariantsPerVersion);
  setting.target = goal.target;
  setting.evaluation_se = evaluation_se(problem.profile, goal.target);
  setting.stop_metric =
      goal.target - margin_z(goal.probability) * std::numbers::sqrt2 * setting.evaluation_se;
  setting.probability = goal.probability;
  setting.deadline_s = goal.deadline_s;
  setting.budget = goal.budget;
  for (const VersionLaw& law : choice.laws.versions) {
    setting.certify_s = std::max(setting.certify_s, law.time.eval_s);
  }
  setting.data_price = choice.data.price;
  setting.passes_max = problem.passes_max;
  return setting;
}

std::uint64_t final_seed(const PlanOptions& options) {
  return mix64(options.seed ^ 0x66696e616cull);
}

}  // namespace surety::plan
