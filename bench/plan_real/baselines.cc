#include "baselines.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "base/statistics.h"
#include "plan/decision/policy.h"
#include "plan/decision/setting_mdp.h"
#include "plan/decision/simulate.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"
#include "plan/schedules/calibrated.h"
#include "test/support/plan/schedules/open_loop_plan.h"

namespace surety::bench {
namespace {

using plan::Choice;
using plan::Schedule;
using plan::Setting;

class ToTheEnd final : public plan::Policy {
 public:
  explicit ToTheEnd(const Schedule& schedule) : schedule_(schedule) {}

  [[nodiscard]] std::size_t first_variant() const override { return schedule_.front().variant; }
  [[nodiscard]] plan::Move next(const plan::DecisionState& state) const override {
    const std::size_t leg = state.leg;
    if (state.passes_in_leg < schedule_[leg].passes) {
      return {Choice::kContinue, schedule_[leg].variant, leg};
    }
    if (leg + 1 == schedule_.size()) return {Choice::kStopMet, 0, 0};
    return {Choice::kSwitch, schedule_[leg + 1].variant, leg + 1};
  }

 private:
  const Schedule& schedule_;
};

// Each run keeps the checkpoint that is best on the deciding split. Its success is judged on the
// other split.
plan::ScheduleOutcome simulate_to_the_end(const Setting& world, const Schedule& schedule,
                                          const plan::PlanOptions& options) {
  const double spread = std::numbers::sqrt2 * world.evaluation_se;
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t run = 0;
  std::uint32_t kept = 0;
  plan::SimulateOptions simulate{.seed = plan::final_seed(options), .runs = options.simulated_runs};
  simulate.watch = [&](const plan::DecisionState& state, const plan::Move& move) {
    best = std::min(best, state.metric);
    if (!move.stops()) return;
    const double z = surety::CounterNormal(simulate.seed, run).at(0, 100);
    const bool in_time = state.seconds_left >= world.certify_s;
    kept += in_time && best + spread * z <= world.target ? 1 : 0;
    best = std::numeric_limits<double>::infinity();
    ++run;
  };
  const plan::Outcome outcome = plan::simulate(world, ToTheEnd(schedule), simulate);
  return {static_cast<double>(kept) / options.simulated_runs, outcome.cost_mean};
}

struct Graph {
  plan::Mdp mdp;
  std::vector<plan::MdpStart> starts;
};

Graph graph_of(const Setting& setting, const plan::PlanOptions& options) {
  const std::vector<double> levels = plan::metric_levels(setting, options.levels);
  return {plan::make_mdp(setting, levels, {options.levels, options.ticks}, plan::RunClass{}),
          plan::make_starts(setting, levels)};
}

std::optional<plan::CalibratedSchedule> find(BaselineKind kind, const Setting& setting,
                                             const plan::PlanOptions& options) {
  const Graph graph = graph_of(setting, options);
  const auto simulate = [&](const Schedule& schedule) {
    return simulate_to_the_end(setting, schedule, options);
  };
  if (kind == BaselineKind::kDeplToTheEnd) {
    return plan::open_loop_plan(graph.mdp, graph.starts, simulate, setting.probability, {}, {});
  }
  const plan::MeanCurves curves = plan::mean_curves(setting, graph.mdp, graph.starts);
  plan::MeanOptions by_means;
  by_means.target = setting.target;
  if (kind == BaselineKind::kMeanToTheEnd) {
    return plan::mean_plan(graph.mdp, graph.starts, curves, simulate, setting.probability, by_means,
                           {});
  }
  const auto found = plan::mean_schedule(graph.mdp, graph.starts, curves, by_means);
  if (!found) return std::nullopt;
  plan::CalibratedSchedule believed;
  believed.schedule = found->schedule;
  believed.outcome = simulate(found->schedule);
  believed.keeps = believed.outcome.probability >= setting.probability;
  return believed;
}

}  // namespace

Result<std::optional<Baseline>> plan_baseline(BaselineKind kind, const plan::Instance& instance,
                                              const plan::Profile& profile,
                                              const plan::PlanOptions& options) {
  SURETY_TRY(const plan::Problem problem, plan::make_problem(instance, profile, options));
  Baseline baseline;
  baseline.setting =
      plan::make_setting(problem, problem.choices.front(), plan::make_goal(instance.promise));
  const auto found = find(kind, baseline.setting, options);
  if (!found) return std::nullopt;
  baseline.schedule = found->schedule;
  baseline.probability = found->outcome.probability;
  baseline.cost_mean = found->outcome.cost;
  baseline.keeps = found->keeps;
  return baseline;
}

}  // namespace surety::bench
