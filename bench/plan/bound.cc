// Compares the closed loop with the bound of its own family, and DepL-D with the exact optimum of
// fixed schedules.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "measures.h"
#include "plan/closed_loop/calibrate.h"
#include "plan/closed_loop/closed_loop.h"
#include "plan/decision/setting_mdp.h"
#include "realised.h"
#include "test/support/plan/reference_instance.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::bench {
namespace {

using namespace plan;

// The minimum, over policies of the masked process, of cost less lambda times success: the line
// with slope lambda that supports the hull of (success, cost). By duality of the linear program in
// occupation measures, no mixture of admissible policies lies below it.
double supporting_line(const Setting& setting, double lambda, const MdpOptions& grid) {
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  const Mdp mdp = make_mdp(setting, levels, grid, RunClass{});
  const MaxSuccess mask = max_success(mdp);
  const Table values = next_pass_values(mdp, lambda, &mask, MaskOptions{});
  const std::vector<MdpStart> starts = make_starts(setting, levels);
  const auto mean_of = [](const MdpStart& start, const Table& table) {
    double sum = 0;
    for (std::size_t l = 0; l < start.levels.size(); ++l) {
      sum += start.levels[l] * table.at(0, start.variant, l);
    }
    return sum;
  };
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const MdpStart& start : starts) {
    most = std::max(most, mean_of(start, mask.next_pass_probability));
  }
  for (const MdpStart& start : starts) {
    if (mean_of(start, mask.next_pass_probability) < MaskOptions{}.kappa * most) continue;
    least = std::min(least, start.cost + mean_of(start, values));
  }
  return least;
}

// The grid shifts values by a share of a level's width and of a tick. So the line is extrapolated
// from grids of twice the levels and of twice the ticks.
struct Bound {
  double value = 0;
  double by_levels = 0;  // How much halving the width of levels adds.
  double by_ticks = 0;   // How much halving the width of ticks adds.
  [[nodiscard]] double limit() const { return value + 2 * by_levels + 2 * by_ticks; }
};

Bound bound_of(const Setting& setting, double lambda, const MdpOptions& grid) {
  const double value = supporting_line(setting, lambda, grid);
  return {value, supporting_line(setting, lambda, {2 * grid.levels, grid.ticks}) - value,
          supporting_line(setting, lambda, {grid.levels, 2 * grid.ticks}) - value};
}

struct Gap {
  double cost = 0;
  double bound = 0;
};

// Compares costs at the success that the policy realises.
Gap gap_of(const std::string& name, const Setting& setting, double omega, bool quick) {
  const std::uint32_t runs = quick ? 300 : 400'000;
  const MdpOptions grid = quick ? MdpOptions{30, 60} : MdpOptions{100, 360};
  const auto model = std::make_shared<const ClosedLoopModel>(
      setting, ClosedLoopOptions{.grid = grid, .classes = 1, .mask = {}});
  const Calibration found = calibrate(
      model, omega, {}, {.seed = kTuningSeed, .runs = quick ? 200u : 10'000u, .refinements = 4});
  const double lambda = found.policy->lambda();
  const Realised ours = realise(setting, *found.policy, kFinalSeed, runs);
  // With fewer levels, the bound does not yet change linearly.
  const MdpOptions bound_grid = quick ? MdpOptions{40, 60} : MdpOptions{1600, 720};
  const Bound bound = bound_of(setting, lambda, bound_grid);
  const double line = bound.limit() + lambda * ours.probability;
  const double chance = ours.probability * (1 - ours.probability);
  const double line_se = lambda * std::sqrt(chance / runs);
  print_line(
      "closed_vs_lp",
      "{} {}: cost {:.2f}, success {:.4f}, lambda {:.0f}; bound {:.2f}, from {:.2f} by {} levels "
      "and {} ticks, twice as many of which add {:.2f} and {:.2f}; its success moves it by {:.2f}; "
      "{:+.2f} %",
      name, omega, ours.cost, ours.probability, lambda, line,
      bound.value + lambda * ours.probability, bound_grid.levels, bound_grid.ticks, bound.by_levels,
      bound.by_ticks, line_se, 100 * (ours.cost / line - 1));
  return {ours.cost, line};
}

std::vector<Realised> label_plans(const Setting& setting, const Mdp& mdp,
                                  const std::vector<MdpStart>& starts, LabelRule rule, bool quick) {
  const std::vector<double> requested =
      quick ? std::vector<double>{0.7, 0.85, 0.95, 0.995}
            : std::vector<double>{0.76, 0.8,  0.84, 0.88,  0.9,  0.92,  0.94,  0.95,
                                  0.96, 0.97, 0.98, 0.985, 0.99, 0.993, 0.996, 0.999};
  const LabelResult found = label_setting(mdp, starts, requested, {.rule = rule});
  std::vector<Realised> plans;
  for (const auto& plan : found.plans) {
    if (!plan) continue;
    plans.push_back(run_to_end(setting, plan->schedule, kFinalSeed, quick ? 300 : 40'000));
  }
  print_line("depl_vs_exact", "{}: {} labels{}", rule == LabelRule::kExact ? "exact" : "DepL-D",
             found.labels, found.complete ? "" : ", not all that there are");
  return plans;
}

}  // namespace

void compare_with_bound(const Options& options, Report& report) {
  if (!options.wants("closed_vs_lp")) return;
  Gap worst;
  for (const bool mixed : {true, false}) {
    const Setting setting = mixed ? reference::spot_mix() : reference::one_cluster();
    for (const double omega : {0.9, 0.99}) {
      const Gap gap = gap_of(mixed ? "spot_mix" : "one_cluster", setting, omega, options.quick);
      if (worst.cost == 0 || gap.cost / gap.bound > worst.cost / worst.bound) worst = gap;
    }
  }
  report.add({"closed_vs_lp", "cost", {worst.cost}, {{"masked bound", {worst.bound}}}, false});
}

void compare_depl(const Options& options, Report& report) {
  if (!options.wants("depl_vs_exact")) return;
  const Setting setting = reference::one_cluster();
  const MdpOptions grid = options.quick ? MdpOptions{40, 90} : MdpOptions{400, 360};
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  const Mdp mdp = make_mdp(setting, levels, grid, RunClass{});
  const std::vector<MdpStart> starts = make_starts(setting, levels);
  const auto depl = label_plans(setting, mdp, starts, LabelRule::kDepl, options.quick);
  const auto exact = label_plans(setting, mdp, starts, LabelRule::kExact, options.quick);
  std::optional<Row> worst;
  for (const double omega : {0.8, 0.9, 0.95, 0.99}) {
    const auto ours = cost_at(depl, omega);
    const auto best = cost_at(exact, omega);
    if (!ours || !best) continue;
    print_line("depl_vs_exact", "{}: DepL-D {:.2f}, exact {:.2f}, {:+.2f} %", omega, *ours, *best,
               100 * (*ours / *best - 1));
    Row row{"depl_vs_exact", "cost", {*ours}, {{"exact labels", {*best}}}, false};
    if (!worst || ratio_of(row) < ratio_of(*worst)) worst = row;
  }
  if (worst) report.add(*worst);
}

}  // namespace surety::bench
