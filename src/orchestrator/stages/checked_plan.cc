#include "orchestrator/stages/checked_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "base/words.h"
#include "orchestrator/stages/time_reserve.h"
#include "plan/planner/make_plan.h"

namespace surety::orchestrator {
namespace {

constexpr double kFarDeadlineS = 1e9;

}  // namespace

Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                         const plan::Profile& profile,
                                         const plan::PlanOptions& options) {
  SURETY_TRY(plan::Decision decision, plan::make_plan(instance, profile, options));
  const Result<void> checked =
      check_decision(instance, decision, {.planner_runs = options.simulated_runs});
  if (checked) return decision;
  // A refusal does not depend on the plan that comes closest, so it is issued without this plan.
  if (auto* refusal = std::get_if<plan::Infeasible>(&decision)) {
    refusal->reason += "; the plan that comes closest is not shown: " + checked.error().message;
    refusal->best_effort.reset();
    return decision;
  }
  return tl::unexpected(checked.error());
}

Result<plan::Decision> make_plan_before_run(plan::Instance instance, const plan::Profile& profile,
                                            const plan::PlanOptions& options) {
  plan::Promise& promise = instance.promise;
  const plan::Reserved outside = outside_training(instance, profile, promise.deadline_s);
  // A later deadline may need more time to certify.
  const plan::Reserved outside_later = outside_training(instance, profile, kFarDeadlineS);
  const bool has_time = outside.seconds < promise.deadline_s;
  const bool has_money = !promise.budget || outside.cost < *promise.budget;
  // Without time for training, the plan of a later deadline shows which one would do.
  if (has_time) promise.deadline_s -= outside.seconds;
  const plan::Reserved& paid = has_time ? outside : outside_later;
  if (promise.budget) promise.budget = std::max(0.0, *promise.budget - paid.cost);
  SURETY_TRY(plan::Decision decision, make_checked_plan(instance, profile, options));
  auto* const refusal = std::get_if<plan::Infeasible>(&decision);
  if (refusal && refusal->deadline_s) *refusal->deadline_s += outside_later.seconds;
  if (refusal && refusal->budget) *refusal->budget += paid.cost;
  if (has_time && has_money) return decision;
  plan::Infeasible refused;
  if (!has_time) {
    refused.reason_class = plan::ReasonClass::kDeadline;
    refused.reason = fmt::format(
        "starting the workers and certifying the result may take {}, so the deadline leaves no "
        "time for training",
        time_words(outside.seconds));
    refused.deadline_s =
        refusal ? refusal->deadline_s : std::optional(promise.deadline_s + outside_later.seconds);
    return refused;
  }
  refused.reason_class = plan::ReasonClass::kBudget;
  refused.reason = fmt::format(
      "starting the workers and certifying the result may cost {}, so the budget leaves nothing "
      "for training",
      short_number(outside.cost));
  if (refusal) refused.budget = refusal->budget;
  return refused;
}

Result<void> check_decision(const plan::Instance& instance, const plan::Decision& decision,
                            const plan::check::CheckOptions& options) {
  plan::check::Checked checked;
  std::string_view which = "plan";
  if (const auto* plan = std::get_if<plan::Plan>(&decision)) {
    checked = plan::check::check_plan(instance, *plan, options);
  } else {
    const auto& closest = std::get<plan::Infeasible>(decision).best_effort;
    if (!closest) return {};
    checked = plan::check::check_closest(instance, *closest, options);
    which = "closest plan of a refusal";
  }
  if (!checked.errors.empty()) {
    return fail(ErrorCode::kDefect,
                "an independent computation of the planner's claims disagrees: {}. The {} is not "
                "used; please report this with the profile",
                fmt::join(checked.errors, "; "), which);
  }
  if (checked.simulated != plan::check::Simulated::kYes) {
    return fail(ErrorCode::kDefect,
                "the planner's claims were not computed again: {}. The {} is not used; please "
                "report this with the profile",
                plan::check::reason_of(checked.simulated), which);
  }
  return {};
}

}  // namespace surety::orchestrator
