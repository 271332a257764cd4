#include "plan/planner/closed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/closed_loop/held_out.h"
#include "plan/decision/setting_mdp.h"
#include "plan/laws/time_model.h"
#include "plan/plan_text.h"
#include "plan/planner/assumptions.h"
#include "plan/problem/problem.h"
#include "plan/support.h"

namespace surety::plan {
namespace {

constexpr double kPromises[] = {0.8, 0.9, 0.95, 0.99};  // Probabilities for which a price is shown.
constexpr std::size_t kRunnersUpMax = 6;

// For each probability, the cheapest policy that was found: the plan's own one, which has
// `outcome`, another that was tried, or a fixed schedule. The others were simulated less often. One
// that seems to keep the promise and to be cheaper than the plan was rejected, so it is not shown.
// A probability that no policy reaches is left out.
std::vector<PricePoint> prices_of(const Calibration& calibration, const Solved& fixed,
                                  const Goal& goal, const Outcome& outcome) {
  std::vector<PricePoint> found;
  const auto add = [&](double probability, double cost_mean) {
    const bool was_rejected = outcome.probability >= goal.probability &&
                              probability >= goal.probability && cost_mean < outcome.cost_mean;
    if (!was_rejected) found.push_back({0, probability, cost_mean});
  };
  add(outcome.probability, outcome.cost_mean);
  for (const auto& one : calibration.tried) add(one.probability, one.cost_mean);
  for (const Solution& one : fixed.others) add(one.outcome.probability, one.outcome.cost_mean);
  add(fixed.best_effort.outcome.probability, fixed.best_effort.outcome.cost_mean);

  std::vector<double> promised(std::begin(kPromises), std::end(kPromises));
  promised.push_back(goal.probability);
  std::sort(promised.begin(), promised.end());
  promised.erase(std::unique(promised.begin(), promised.end()), promised.end());
  std::vector<PricePoint> prices;
  for (const double p : promised) {
    const PricePoint* cheapest = nullptr;
    for (const PricePoint& one : found) {
      if (one.probability < p) continue;
      if (cheapest == nullptr || one.cost_mean < cheapest->cost_mean) cheapest = &one;
    }
    if (cheapest != nullptr) prices.push_back({p, cheapest->probability, cheapest->cost_mean});
  }
  return prices;
}

// The variants that runs use, as a schedule for the assumptions. Pruned versions come first.
Schedule used_variants(const Setting& setting, const Outcome& outcome) {
  static constexpr double kRare = 0.01;  // Mean passes a run.
  Schedule used;
  for (const Usage& usage : outcome.usage) {
    if (usage.passes_mean > kRare) {
      used.push_back({usage.block, static_cast<std::uint32_t>(std::ceil(usage.passes_mean))});
    }
  }
  std::stable_sort(used.begin(), used.end(), [&](const Leg& a, const Leg& b) {
    return setting.rank_of(a.variant) > setting.rank_of(b.variant);
  });
  return used;
}

std::string make_reason(const Plan& plan, const DataChoice& data) {
  std::string names;
  for (const Usage& usage : plan.claims->usage) {
    names += (names.empty() ? "" : ", ") + block_text(plan.blocks[usage.block]);
  }
  return fmt::format("{}, with a decision after every pass: {}; data: {}",
                     plan.blocks.size() == 1 ? "there is only one choice of version and nodes"
                                             : "the cheapest policy among all versions and nodes",
                     names.empty() ? "it trains nothing" : "it uses " + names, data.reason);
}

void add_runners_up(const Solved& fixed, Claims& claims) {
  const auto add = [&](const Solution& solution) {
    if (claims.runners_up.size() == kRunnersUpMax) return;
    claims.runners_up.push_back({"fixed schedule: " + solution.what, solution.outcome.cost_mean,
                                 solution.outcome.probability});
  };
  add(fixed.best_effort);
  for (const Solution& other : fixed.others) add(other);
}

Support support_of(const Problem& problem, const Promise& promise, const Goal& goal,
                   const ClosedSolution& solution) {
  const DataLaws& choice = problem.choices[solution.choice];
  const HeldOut test = test_held_out(problem, choice, goal, solution.calibration.policy->lambda(),
                                     promise.confidence);
  Support support;
  support.percentile = std::min(solution.percentile, solution.outcome.probability);
  support.held_out = test.lower;
  support.held_out_runs = test.runs;
  support.held_out_successes = test.successes;
  support.held_out_limit = test.limit;
  support.seeds = fewest_seeds(choice.laws);
  support.seeds_needed = 2 * seeds_needed(goal.probability, promise.confidence);
  support.binding = support.percentile <= support.held_out ? BoundKind::kPercentileMargin
                                                           : BoundKind::kLearnThenTest;
  return support;
}

}  // namespace

BandSteps band_steps(const Setting& setting, const Outcome& outcome) {
  constexpr std::uint32_t kSteps = 20;
  return {.count = kSteps,
          .seconds = outcome.seconds_95 > 0 ? outcome.seconds_95 : setting.deadline_s};
}

Block block_of(const Setting& setting, std::size_t index) {
  const Variant& variant = setting.variants[index];
  const VersionLaw& law = setting.law_of(index);
  Block block;
  block.version = law.version;
  block.nodes = variant.nodes;
  block.counts = variant.counts;
  block.pass_s = pass_duration(law, variant).mean_s();
  block.price_per_s = variant.price_per_s;
  return block;
}

void fill_numbers(const Outcome& outcome, Claims& claims) {
  claims.probability = outcome.probability;
  claims.cost_mean = outcome.cost_mean;
  claims.cost_95 = outcome.cost_95;
  claims.seconds_mean = outcome.seconds_mean;
  claims.seconds_95 = outcome.seconds_95;
  claims.bands = outcome.bands;
  for (const Usage& usage : outcome.usage) {
    if (usage.passes_mean > 0) claims.usage.push_back(usage);
  }
}

Plan plan_of_policy(const Problem& problem, const Promise& promise, const Goal& goal,
                    const ClosedSolution& solution, const Solved& fixed) {
  const ClosedLoop& policy = *solution.calibration.policy;
  const Setting& setting = policy.model().setting();
  const DataChoice& data = problem.choices[solution.choice].data;
  const Outcome outcome = simulate(setting, policy,
                                   {.seed = final_seed(problem.options),
                                    .runs = problem.options.simulated_runs,
                                    .bands = band_steps(setting, solution.outcome)});
  Plan plan;
  plan.planner = Planner::kClosedLoop;
  plan.data = data.names;
  plan.first_block = static_cast<std::uint32_t>(policy.first_variant());
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    plan.blocks.push_back(block_of(setting, v));
    plan.blocks.back().passes = static_cast<std::uint32_t>(std::ceil(outcome.usage[v].passes_mean));
    plan.blocks.back().switch_s = switch_seconds(setting, policy.first_variant(), v);
  }
  const ClosedLoopOptions& grid = policy.model().options();
  plan.policy = PolicySpec{.lambda = policy.lambda(),
                           .levels = grid.grid.levels,
                           .ticks = grid.grid.ticks,
                           .classes = grid.classes};
  plan.stop_metric = setting.target;
  plan.certify_s = setting.certify_s;
  Claims& claims = plan.claims.emplace();
  claims.setting = setting;
  fill_numbers(outcome, claims);
  claims.support = support_of(problem, promise, goal, solution);
  claims.probability_lower = std::min(claims.support.percentile, solution.most_supported);
  claims.prices = prices_of(solution.calibration, fixed, goal, outcome);
  add_runners_up(fixed, claims);
  claims.assumptions =
      check_assumptions(problem, setting, problem.choices[solution.choice],
                        used_variants(setting, outcome), claims.probability_lower, promise);
  plan.reason = make_reason(plan, data);
  return plan;
}

}  // namespace surety::plan
