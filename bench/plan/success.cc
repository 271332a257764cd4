// Measures the success of issued plans under the laws that their profiles were drawn from.
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/statistics.h"
#include "measures.h"
#include "plan/closed_loop/calibrate.h"
#include "plan/closed_loop/closed_loop.h"
#include "plan/closed_loop/solve_closed.h"
#include "plan/decision/setting_mdp.h"
#include "plan/plan_options.h"
#include "plan/planner/make_plan.h"
#include "plan/problem/problem.h"
#include "plan/schedules/mean_planner.h"
#include "plan/support.h"
#include "test/support/base/posix/cpu_time.h"
#include "truth.h"

namespace surety::bench {
namespace {

using namespace plan;

constexpr double kDeadline_s = 360;

struct Size {
  std::uint32_t profiles = 20;
  std::uint32_t runs = 2500;
  std::uint32_t seeds = 20;
  PlanOptions plan{.simulated_runs = 2000, .levels = 80, .ticks = 160, .classes = 5, .worlds = 60};
};

Size size_of(const Options& options) {
  if (!options.quick) return {};
  return {.profiles = 1,
          .runs = 200,
          .seeds = 6,
          .plan = {.simulated_runs = 100, .levels = 24, .ticks = 40, .classes = 3, .worlds = 10}};
}

std::size_t variant_of(const Setting& setting, const Block& block) {
  std::size_t v = 0;
  while (v < setting.variants.size() && (setting.law_of(v).version != block.version ||
                                         setting.variants[v].counts != block.counts)) {
    ++v;
  }
  SURETY_CHECK(v < setting.variants.size());
  return v;
}

// Follows the plan under the true laws, as a job would.
Realised follow(const Plan& plan, const Setting& fitted, const Truth& truth, std::uint32_t runs) {
  if (plan.policy) {
    const PolicySpec& spec = *plan.policy;
    const Setting& laws = plan.claims->setting;
    const auto model = std::make_shared<const ClosedLoopModel>(
        laws,
        ClosedLoopOptions{.grid = {spec.levels, spec.ticks}, .classes = spec.classes, .mask = {}});
    return realise(true_setting(truth, laws), ClosedLoop(model, spec.lambda), kFinalSeed, runs);
  }
  Schedule schedule;
  for (const Block& block : plan.blocks) {
    schedule.push_back({variant_of(fitted, block), block.passes});
  }
  return realise(true_setting(truth, fitted), FixedSchedule(fitted, schedule), kFinalSeed, runs);
}

// Trusts the fitted laws, without a margin for the uncertainty of the profile.
Realised plug_in(const Problem& problem, const Setting& fitted, const Truth& truth,
                 std::uint32_t runs) {
  const auto model =
      std::make_shared<const ClosedLoopModel>(fitted, closed_loop_options(problem.options));
  const Calibration found = calibrate(model, fitted.probability, {},
                                      {.seed = kTuningSeed, .runs = runs, .refinements = 3});
  return realise(true_setting(truth, fitted), *found.policy, kFinalSeed, runs);
}

std::optional<Realised> mean_plan_of(const Problem& problem, const Setting& fitted,
                                     const Truth& truth, std::uint32_t runs) {
  const MdpOptions grid{problem.options.levels, problem.options.ticks};
  const std::vector<double> levels = metric_levels(fitted, grid.levels);
  const Mdp mdp = make_mdp(fitted, levels, grid, RunClass{});
  const std::vector<MdpStart> starts = make_starts(fitted, levels);
  const auto found = mean_schedule(mdp, starts, mean_curves(fitted, mdp, starts),
                                   {.target = fitted.target, .blocks_max = 2});
  if (!found) return std::nullopt;
  return run_to_end(true_setting(truth, fitted), found->schedule, kFinalSeed, runs);
}

struct Averages {
  std::vector<double> ours;
  std::vector<double> plug_in;
  std::vector<double> mean;
  std::vector<double> cost;
  std::uint32_t refused = 0;
  std::uint32_t fixed = 0;
};

void add_profile(const Truth& truth, double omega, std::uint64_t seed, const Size& size,
                 Averages& averages) {
  const Profile profile = draw_profile(truth, seed);
  const Instance instance = instance_of(truth, kDeadline_s, omega);
  const Result<Decision> decision = make_plan(instance, profile, size.plan);
  SURETY_CHECK(decision.has_value());
  const Plan* plan = std::get_if<Plan>(&*decision);
  const auto problem = make_problem(instance, profile, size.plan);
  SURETY_CHECK(problem.has_value());
  const Setting fitted = make_setting(*problem, problem->choices[0], make_goal(instance.promise));
  if (plan == nullptr) {
    averages.refused += 1;
  } else {
    const Realised realised = follow(*plan, fitted, truth, size.runs);
    averages.ours.push_back(realised.probability);
    averages.cost.push_back(realised.cost);
    averages.fixed += !plan->policy;
  }
  averages.plug_in.push_back(plug_in(*problem, fitted, truth, size.runs).probability);
  if (const auto by_means = mean_plan_of(*problem, fitted, truth, size.runs)) {
    averages.mean.push_back(by_means->probability);
  }
}

void measure_at(double omega, const std::string& measure, const Options& options, Report& report) {
  Size size = size_of(options);
  if (!options.quick) size.seeds = std::max(size.seeds, seeds_to_support(omega));
  const Truth truth = planners_truth(size.seeds, 3);
  const double begin_s = posix::process_cpu_seconds();
  Averages averages;
  for (std::uint32_t i = 0; i < size.profiles; ++i) {
    add_profile(truth, omega, 100 + i, size, averages);
  }
  const double each_s = (posix::process_cpu_seconds() - begin_s) / size.profiles;
  if (averages.ours.empty()) return print_line(measure, "every profile refused");
  const double issued = static_cast<double>(averages.ours.size());
  const double se = std::sqrt(variance(averages.ours) / issued);
  print_line(
      measure,
      "{} seeds: realised {:.4f}, standard error {:.4f}, lowest of {} issued {:.4f}, cost {:.1f}; "
      "{} refused, {} fixed schedules; {:.1f} s a profile",
      size.seeds, mean(averages.ours), se, issued, quantile(averages.ours, 0), mean(averages.cost),
      averages.refused, averages.fixed, each_s);
  Row row{measure, "share kept", {mean(averages.ours)}, {}};
  row.peers["promised"] = {omega};
  row.peers["plug-in"] = {mean(averages.plug_in)};
  if (!averages.mean.empty()) row.peers["means"] = {mean(averages.mean)};
  report.add(row);
}

}  // namespace

void measure_success(const Options& options, Report& report) {
  const std::pair<const char*, double> measures[] = {
      {"success_080", 0.8}, {"success_090", 0.9}, {"success_095", 0.95}, {"success_099", 0.99}};
  for (const auto& [measure, omega] : measures) {
    if (options.wants(measure)) measure_at(omega, measure, options, report);
  }
}

}  // namespace surety::bench
