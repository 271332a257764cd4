#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "plan/pipeline.h"
#include "plan/placement.h"
#include "plan/statistics.h"
#include "plan/time_model.h"

namespace surety::plan {
namespace {

constexpr std::size_t kVariantsPerVersion = 4;  // More profiled numbers of nodes are thinned.

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

Result<void> check_nodes(const std::vector<NodeType>& nodes) {
  std::uint64_t count = 0;
  for (const NodeType& type : nodes) {
    count += type.count;
    if (!(type.speed_factor > 0) || !std::isfinite(type.speed_factor)) {
      return fail(ErrorCode::kInvalidInput,
                  "nodes: {}: speed factor: found {:.4g}, expected above 0", type.name,
                  type.speed_factor);
    }
    if (!(type.price_per_s >= 0) || !std::isfinite(type.price_per_s)) {
      return fail(ErrorCode::kInvalidInput, "nodes: {}: price: found {:.4g}, expected at least 0",
                  type.name, type.price_per_s);
    }
  }
  if (count == 0) {
    return fail(ErrorCode::kInvalidInput, "nodes: found none, expected at least one to train on");
  }
  return {};
}

Result<void> check_data(const std::vector<DataSet>& data) {
  std::set<std::string> names;
  for (const DataSet& set : data) {
    if (!names.insert(set.name).second) {
      return fail(ErrorCode::kInvalidInput, "data: {} is there twice", set.name);
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
    return fail(ErrorCode::kInvalidInput, "versions: the same one is there twice");
  }
  return versions;
}

// What a pass over all data costs per sample on the cheapest nodes, times a typical number of
// passes: only the order of the data sets depends on it.
double price_per_sample(const Instance& instance, const Laws& laws) {
  static constexpr double kPassesTypical = 20;
  double samples = 0;
  for (const DataSet& set : instance.data) samples += static_cast<double>(set.samples);
  const Variant cheapest = make_variants(laws, instance.nodes, 2).front();
  const double pass_s = laws.versions[cheapest.version].time.median_s(cheapest.speed);
  return samples > 0 ? kPassesTypical * pass_s * cheapest.price_per_s / samples : 0;
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
  SURETY_TRY(check_profile(problem.versions, profile));
  problem.nodes = instance.nodes;
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
  const double sample_price = price_per_sample(instance, laws.back());
  for (DataChoice& choice : data_choices(instance.data, fractions, sample_price)) {
    const auto at = std::find(fractions.begin(), fractions.end(), choice.profiled_fraction);
    const auto index = static_cast<std::size_t>(at - fractions.begin());
    problem.choices.push_back({std::move(choice), laws[index]});
  }
  return problem;
}

Laws on_data(Laws laws, const DataChoice& data) {
  for (VersionLaw& law : laws.versions) {
    law.time = scaled(law.time, data.fraction / data.profiled_fraction);
  }
  return laws;
}

Setting make_setting(const Problem& problem, const DataLaws& choice, const Goal& goal) {
  Setting setting;
  setting.laws = on_data(choice.laws, choice.data);
  setting.variants = make_variants(setting.laws, problem.nodes, kVariantsPerVersion);
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
  setting.passes_max = problem.options.passes_max;
  return setting;
}

}  // namespace surety::plan
