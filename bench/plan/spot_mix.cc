// Compares the closed loop with all methods that plan ahead, on the reference instance with spot
// nodes and on-demand nodes.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "bench/plan_peers/block_search.h"
#include "bench/plan_peers/sequential.h"
#include "measures.h"
#include "plan/closed_loop/calibrate.h"
#include "plan/closed_loop/closed_loop.h"
#include "plan/decision/setting_mdp.h"
#include "plan/schedules/calibrated.h"
#include "plan/schedules/mean_planner.h"
#include "realised.h"
#include "test/support/plan/reference_instance.h"
#include "test/support/plan/schedules/fixed_search.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::bench {
namespace {

using namespace plan;

constexpr double kOmegas[] = {0.8, 0.9, 0.95, 0.99};
constexpr double kStrict = 0.9;  // Rows report the worst omega from this one on.

struct Size {
  std::uint32_t runs = 20'000;
  std::uint32_t tuning_runs = 10'000;
  MdpOptions closed{100, 360};
  MdpOptions open{100, 180};
  MdpOptions fine{200, 360};
  MdpOptions blind{100, 360};
  std::vector<double> requested{0.7,  0.76, 0.8,  0.84,  0.88, 0.91,  0.93,  0.95,
                                0.96, 0.97, 0.98, 0.985, 0.99, 0.994, 0.997, 0.999};
};

Size size_of(const Options& options) {
  if (!options.quick) return {};
  return {.runs = 300,
          .tuning_runs = 200,
          .closed = {30, 60},
          .open = {40, 60},
          .fine = {40, 60},
          .blind = {24, 40},
          .requested = {0.7, 0.9, 0.97, 0.995}};
}

struct Graph {
  Mdp mdp;
  std::vector<MdpStart> starts;
};

Graph graph_of(const Setting& setting, const MdpOptions& grid) {
  const std::vector<double> levels = metric_levels(setting, grid.levels);
  return {make_mdp(setting, levels, grid, RunClass{}), make_starts(setting, levels)};
}

// Plans of one method for rising success probabilities.
using Plans = std::vector<Realised>;

struct FixedPlans {
  Plans to_end;
  Plans early_stop;
};

FixedPlans realise_all(const Setting& world, const std::vector<Schedule>& schedules,
                       std::uint32_t runs) {
  FixedPlans plans;
  for (const Schedule& schedule : schedules) {
    plans.to_end.push_back(run_to_end(world, schedule, kFinalSeed, runs));
    plans.early_stop.push_back(realise(world, schedule, kFinalSeed, runs));
  }
  return plans;
}

std::vector<Schedule> schedules_of(const std::vector<std::optional<BlindPlan>>& plans) {
  std::vector<Schedule> schedules;
  for (const auto& plan : plans) {
    if (plan) schedules.push_back(plan->schedule);
  }
  std::sort(schedules.begin(), schedules.end());
  schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
  return schedules;
}

std::vector<Schedule> depl_schedules(const Graph& graph, const Size& size) {
  const LabelResult found = label_setting(graph.mdp, graph.starts, size.requested, {});
  print_line("closed_vs_open", "DepL-D: {} labels{}", found.labels,
             found.complete ? "" : ", not all that there are");
  return schedules_of(found.plans);
}

// Schedules with margins of metric and time on a lattice; the margins 0 and 0 come first.
std::vector<Schedule> mean_schedules(const Setting& setting, const Graph& graph, bool quick) {
  const MeanCurves curves = mean_curves(setting, graph.mdp, graph.starts);
  std::vector<Schedule> schedules;
  for (const double share : {1.0, 0.95, 0.9, 0.85, 0.8, 0.7}) {
    for (const double margin : {0.0, 0.004, 0.008, 0.012, 0.016, 0.02, 0.025, 0.03, 0.04}) {
      const auto found = mean_schedule(
          graph.mdp, graph.starts, curves,
          {.target = setting.target, .margin = margin, .deadline_share = share, .blocks_max = 2});
      if (found) schedules.push_back(found->schedule);
      if (quick) break;
    }
  }
  return schedules;
}

std::shared_ptr<const ClosedLoopModel> model_of(const Setting& setting, const Size& size,
                                                bool masked = true) {
  return std::make_shared<const ClosedLoopModel>(
      setting,
      ClosedLoopOptions{
          .grid = size.closed, .classes = 1, .mask = {.kappa = masked ? MaskOptions{}.kappa : 0}});
}

// Closed loops over some of the variants, for rising values of a success.
Plans closed_plans(Setting setting, const std::vector<std::size_t>& variants, const Size& size,
                   std::uint32_t runs) {
  std::vector<Variant> kept;
  for (const std::size_t v : variants) kept.push_back(setting.variants[v]);
  setting.variants = kept;
  const auto model = model_of(setting, size);
  Plans plans;
  for (double lambda = model->cost_max() / 16; lambda < 17 * model->cost_max(); lambda *= 2) {
    plans.push_back(realise(setting, ClosedLoop(model, lambda), kFinalSeed, runs));
  }
  return plans;
}

// The share of runs that stop as hopeless after a decision that halved the reachable success
// probability from above one half. The probability is that of a finer grid than the policy's.
double sabotage_rate(const Setting& setting, const ClosedLoop& policy, const Size& size,
                     std::uint32_t runs) {
  ClosedLoopOptions finer{.grid = size.closed, .classes = 1, .mask = {.kappa = 0}};
  finer.grid.levels *= 2;
  const ClosedLoop witness(std::make_shared<const ClosedLoopModel>(setting, finer), 1);
  std::uint32_t sabotaged = 0;
  bool halved = false;
  SimulateOptions options{.seed = kFinalSeed, .runs = runs};
  options.watch = [&](const DecisionState& state, const Move& move) {
    double reach = 0;
    double after = 0;
    for (const ClosedLoop::Option& option : witness.options(state)) {
      reach = std::max(reach, option.success);
      if (option.stop == move.stops() && (option.stop || option.variant == move.variant)) {
        after = option.success;
      }
    }
    halved = halved || (reach > 0.5 && after < reach / 2);
    if (!move.stops()) return;
    sabotaged += halved && move.choice == Choice::kStopHopeless;
    halved = false;
  };
  (void)simulate(setting, policy, options);
  return static_cast<double>(sabotaged) / runs;
}

struct ClosedResult {
  Realised realised;
  double lambda = 0;
  double cost_95 = 0;
  double sabotage = 0;
};

ClosedResult closed_at(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
                       const Size& size) {
  const Calibration found = calibrate(
      model, omega, {}, {.seed = kTuningSeed, .runs = size.tuning_runs, .refinements = 4});
  const Setting& world = model->setting();
  const Outcome outcome = simulate(world, *found.policy, {.seed = kFinalSeed, .runs = size.runs});
  return {{outcome.probability, outcome.cost_mean},
          found.policy->lambda(),
          outcome.cost_95,
          sabotage_rate(world, *found.policy, size, size.runs / 10)};
}

class Comparison {
 public:
  Comparison(const Options& options, Report& report)
      : options_(options), report_(report), size_(size_of(options)) {}

  void run() {
    const auto model = model_of(world_, size_);
    for (const double omega : kOmegas) {
      const ClosedResult result = closed_at(model, omega, size_);
      closed_[omega] = result;
      print_line("closed loop",
                 "{}: cost {:.1f} (95 %: {:.0f}), success {:.4f}, lambda {:.0f}, "
                 "sabotage {:.4f}",
                 omega, result.realised.cost, result.cost_95, result.realised.probability,
                 result.lambda, result.sabotage);
    }
    const ClosedResult greedy = closed_at(model_of(world_, size_, false), 0.9, size_);
    print_line("without the mask", "0.9: cost {:.1f}, success {:.4f}, sabotage {:.4f}",
               greedy.realised.cost, greedy.realised.probability, greedy.sabotage);
    print_line("price", "of dependability, 0.8 to 0.99: {:+.1f} %",
               100 * (closed_[0.99].realised.cost / closed_[0.8].realised.cost - 1));
    if (wants_any(options_, {"closed_vs_open", "closed_vs_blind"})) fixed_peers();
    if (options_.wants("closed_vs_sequential")) sequential_peers();
  }

 private:
  void fixed_peers() {
    const Graph graph = graph_of(world_, size_.open);
    const Graph fine = graph_of(world_, size_.fine);
    // Search all schedules of up to three blocks; exact labels of them do not fit into memory.
    const auto best = fixed_search(fine.mdp, fine.starts, size_.requested, 3);
    const FixedPlans exact = realise_all(world_, schedules_of(best.plans), size_.runs);
    const FixedPlans depl = realise_all(world_, depl_schedules(graph, size_), size_.runs);
    const FixedPlans means =
        realise_all(world_, mean_schedules(world_, graph, options_.quick), size_.runs);
    print_line("mean planner",
               "without margin: cost {:.1f}, success {:.4f}; stopping early {:.1f}, "
               "{:.4f}",
               means.to_end[0].cost, means.to_end[0].probability, means.early_stop[0].cost,
               means.early_stop[0].probability);
    compare("closed_vs_open", [&](double) {
      return std::map<std::string, Plans>{
          {"exact", exact.to_end}, {"DepL-D", depl.to_end}, {"means with margins", means.to_end}};
    });
    if (!options_.wants("closed_vs_blind")) return;
    const Graph coarse = graph_of(world_, size_.blind);
    const BlockResult blocks = early_stop_search(coarse.mdp, coarse.starts, size_.requested, {});
    print_line("closed_vs_blind", "{} schedules evaluated", blocks.schedules);
    const FixedPlans blind = realise_all(world_, schedules_of(blocks.plans), size_.runs);
    compare("closed_vs_blind", [&](double) {
      return std::map<std::string, Plans>{{"block search", blind.early_stop},
                                          {"exact, stopping", exact.early_stop},
                                          {"DepL-D, stopping", depl.early_stop},
                                          {"means, stopping", means.early_stop}};
    });
  }

  void sequential_peers() {
    const Graph graph = graph_of(world_, size_.blind);
    const auto versions = reference::version_of_variants(world_);
    compare("closed_vs_sequential", [&](double omega) {
      const auto chosen = sequential_variants(graph.mdp, graph.starts, versions, omega);
      return std::map<std::string, Plans>{
          {"nodes first", closed_plans(world_, chosen, size_, size_.runs)}};
    });
    Plans any;
    for (const auto& variants : all_fixed_variants(versions)) {
      const Plans plans = closed_plans(world_, variants, size_, size_.runs / 10);
      any.insert(any.end(), plans.begin(), plans.end());
    }
    for (const auto& [omega, ours] : closed_) {
      const auto cost = cost_at(any, ours.realised.probability);
      print_line("best of all fixings", "{}: {:.3f} times the closed loop's cost", omega,
                 cost.value_or(NAN) / ours.realised.cost);
    }
  }

  // Compares costs at the success that the closed loop realises; `peers_at(omega)` gives plans by
  // name.
  template <typename PeersAt>
  void compare(const std::string& measure, PeersAt&& peers_at) {
    if (!options_.wants(measure)) return;
    std::optional<Row> worst;
    for (const auto& [omega, ours] : closed_) {
      Row row{measure, "cost", {ours.realised.cost}, {}, false};
      for (const auto& [name, plans] : peers_at(omega)) {
        const auto cost = cost_at(plans, ours.realised.probability);
        if (cost) row.peers[name] = {*cost};
        print_line(measure, "{}: {} {:.1f}, {:.3f} times ours at {:.4f}", omega, name,
                   cost.value_or(NAN), cost.value_or(NAN) / ours.realised.cost,
                   ours.realised.probability);
      }
      const bool counts = omega >= kStrict && !row.peers.empty();
      if (counts && (!worst || ratio_of(row) < ratio_of(*worst))) worst = row;
    }
    if (worst) report_.add(*worst);
  }

  const Options& options_;
  Report& report_;
  Size size_;
  Setting world_ = reference::spot_mix();
  std::map<double, ClosedResult> closed_;  // Results by omega, added by run().
};

}  // namespace

void compare_on_spot_mix(const Options& options, Report& report) {
  if (!wants_any(options, {"closed_vs_open", "closed_vs_blind", "closed_vs_sequential"})) return;
  Comparison(options, report).run();
}

}  // namespace surety::bench
