#include "test/support/plan/schedules/open_loop_plan.h"

#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

double odds_log(double p) { return std::log(p / (1 - p)); }
double of_odds_log(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

std::optional<CalibratedSchedule> open_loop_plan(const Mdp& mdp,
                                                 const std::vector<MdpStart>& starts,
                                                 const SimulateSchedule& simulate, double omega,
                                                 const LabelOptions& labels,
                                                 const SearchLimits& limits) {
  SURETY_CHECK(omega > 0 && omega < 1);
  static constexpr double kStep = 0.25;  // One step leads from 0.9 to 0.92, or from 0.99 to 0.992.
  const auto plan = [&](double knob) -> std::optional<Schedule> {
    const LabelResult found = label_setting(mdp, starts, {of_odds_log(knob)}, labels);
    if (!found.plans[0]) return std::nullopt;
    return found.plans[0]->schedule;
  };
  return least_request(plan, simulate, omega, odds_log(omega), kStep, limits);
}

}  // namespace surety::plan
