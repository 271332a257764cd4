#include "orchestrator/job/plan_phase.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/words.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/plan_text.h"

namespace surety::orchestrator {

PhaseChange PlanPhase::begin() {
  ledger().begin_phase(RunPhase::kPlan);
  began_s_ = ledger().now_s();
  spent_s_ = began_s_ + ledger().certify_reserve_s();
  MakePlan order;
  order.options.seed = config().job.train.seed;
  order.profile = state().profile_runs.finished;
  order.instance = plan_instance(config().job, config().sources, context().workforce.staying(),
                                 state().record.deadline_s - spent_s_);
  // The cost until now, and that of certifying. The planner chooses the data, and counts their
  // prices itself.
  if (const auto money_left = ledger().money_left()) {
    const double for_plan = std::max(0.0, *money_left + state().record.data_cost);
    paid_ = *config().job.promise.budget - for_plan;
    order.instance.promise.budget = for_plan;
  }
  ledger().add(std::move(order));
  return Stay{};
}

PhaseChange PlanPhase::on_tick() {
  if (ledger().seconds_left() <= 0) {
    return refuse(ledger(), plan::ReasonClass::kDeadline,
                  "the deadline has passed before a plan was made. A later promise.deadline would "
                  "leave time for training");
  }
  if (ledger().is_out_of_money()) {
    return refuse(ledger(), plan::ReasonClass::kBudget,
                  "the budget was used up before a plan was made. A larger promise.budget would "
                  "leave money for training");
  }
  return Stay{};
}

PhaseChange PlanPhase::on_plan_made(const PlanMade& made) {
  const Result<plan::Decision>& result = made.decision;
  if (!result && profiled_.too_scarce && result.error().code != ErrorCode::kDefect) {
    return refuse(ledger(), *profiled_.too_scarce,
                  fmt::format("measuring was cut short, so that time and money are left for "
                              "training, and {} profile runs are too few for a plan: {}",
                              profiled_.runs, result.error().message));
  }
  if (!result) return Finish{Ending::kFailed, "planning: " + result.error().message};
  plan::Decision decision = *result;
  if (auto* infeasible = std::get_if<plan::Infeasible>(&decision)) {
    if (infeasible->deadline_s) *infeasible->deadline_s += spent_s_;
    if (infeasible->budget) *infeasible->budget += paid_;
  }
  ledger().choose(decision);
  if (const auto* plan = std::get_if<plan::Plan>(&decision)) {
    ledger().log(fmt::format(
        "the plan begins with {} and uses {}; {} of simulated runs reach the target in time, for "
        "{} "
        "on average",
        plan::block_text(plan->blocks.front()),
        plan->data.empty() ? "all data" : fmt::format("the data {}", fmt::join(plan->data, ", ")),
        percent(plan->claims->probability), short_number(plan->claims->cost_mean)));
  }
  if (state().record.infeasible) return EndRun{state().record.infeasible->reason};
  return EnterTraining{};
}

}  // namespace surety::orchestrator
