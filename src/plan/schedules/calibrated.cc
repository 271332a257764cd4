#include "plan/schedules/calibrated.h"

#include <cmath>
#include <map>
#include <tuple>

#include "base/check.h"

namespace surety::plan {
namespace {

bool is_better(const CalibratedSchedule& a, const CalibratedSchedule& b) {
  if (a.keeps != b.keeps) return a.keeps;
  if (a.keeps) return a.outcome.cost < b.outcome.cost;
  return a.outcome.probability > b.outcome.probability;
}

// Searches along one setting of the planner for the least value whose schedule is likely enough.
class RequestSearch {
 public:
  RequestSearch(const PlanRequest& planner, const SimulateSchedule& simulate, double omega)
      : planner_(planner), simulate_(simulate), omega_(omega) {}

  std::optional<CalibratedSchedule> run(double from, double step, const SearchLimits& options) {
    static constexpr double kGrowth = 1.6;
    const bool enough = is_enough(from);
    double there = from;
    double other = from;
    for (std::uint32_t i = 0; i < options.steps && is_enough(other) == enough; ++i) {
      there = other;
      other += enough ? -step : step;
      step *= kGrowth;
    }
    if (is_enough(other) != enough) {
      for (std::uint32_t i = 0; i < options.bisections; ++i) {
        const double middle = (there + other) / 2;
        (is_enough(middle) == enough ? there : other) = middle;
      }
    }
    return best_;
  }

 private:
  // If the planner finds no schedule for a request, the request is too high, so it counts as
  // enough.
  bool is_enough(double knob) {
    const auto known = answers_.find(knob);
    if (known != answers_.end()) return known->second;
    const std::optional<Schedule> schedule = planner_(knob);
    const bool enough = !schedule || consider(*schedule);
    answers_[knob] = enough;
    return enough;
  }

  bool consider(const Schedule& schedule) {
    const auto [it, fresh] = seen_.try_emplace(schedule);
    if (fresh) it->second = simulate_(schedule);
    const CalibratedSchedule one{schedule, it->second, it->second.probability >= omega_};
    if (!best_ || is_better(one, *best_)) best_ = one;
    return one.keeps;
  }

  const PlanRequest& planner_;
  const SimulateSchedule& simulate_;
  double omega_;
  std::map<double, bool> answers_;            // Filled by is_enough().
  std::map<Schedule, ScheduleOutcome> seen_;  // Filled by consider().
  std::optional<CalibratedSchedule> best_;
};

}  // namespace

std::optional<CalibratedSchedule> least_request(const PlanRequest& planner,
                                                const SimulateSchedule& simulate, double omega,
                                                double from, double step,
                                                const SearchLimits& limits) {
  return RequestSearch(planner, simulate, omega).run(from, step, limits);
}

std::optional<CalibratedSchedule> mean_plan(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                            const MeanCurves& curves,
                                            const SimulateSchedule& simulate, double omega,
                                            const MeanOptions& options,
                                            const SearchLimits& limits) {
  SURETY_CHECK(!curves.starts.empty());
  static constexpr double kStep = 0.005;  // Share of the way from the start to the target.
  const double way = std::abs(curves.starts.front() - options.target);
  std::optional<CalibratedSchedule> best;
  for (const double share : limits.deadline_shares) {
    const auto plan = [&](double knob) -> std::optional<Schedule> {
      MeanOptions requested = options;
      requested.margin = knob;
      requested.deadline_share = share;
      const std::optional<MeanPlan> found = mean_schedule(mdp, starts, curves, requested);
      if (!found) return std::nullopt;
      return found->schedule;
    };
    const auto one = least_request(plan, simulate, omega, options.margin, kStep * way, limits);
    if (one && (!best || is_better(*one, *best))) best = one;
  }
  return best;
}

}  // namespace surety::plan
