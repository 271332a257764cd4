#include "orchestrator/stages/checked_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/words.h"
#include "orchestrator/stages/time_reserve.h"
#include "plan/planner/make_plan.h"

namespace surety::orchestrator {
namespace {

constexpr double kFarDeadlineS = 1e9;

// The highest price per second of a plan; 0 for a refusal.
double highest_price(const plan::Decision& decision) {
  const auto* plan = std::get_if<plan::Plan>(&decision);
  if (plan == nullptr) return 0;
  double highest = 0;
  for (const plan::Block& block : plan->blocks) highest = std::max(highest, *block.price_per_s);
  return highest;
}

// REQUIRES: time or money is lacking.
plan::Infeasible without_room(const plan::Reserved& reserved, bool has_time, bool has_money) {
  plan::Infeasible refused;
  if (!has_time && !has_money) {
    refused.reason_class = plan::ReasonClass::kDeadline;
    refused.reason = fmt::format(
        "starting the workers and certifying the result may take {} and cost {}, so neither the "
        "deadline nor the budget leaves anything for training: both must be larger",
        time_words(reserved.seconds), short_number(reserved.cost));
  } else if (!has_time) {
    refused.reason_class = plan::ReasonClass::kDeadline;
    refused.reason = fmt::format(
        "starting the workers and certifying the result may take {}, so the deadline leaves no "
        "time for training",
        time_words(reserved.seconds));
  } else {
    refused.reason_class = plan::ReasonClass::kBudget;
    refused.reason = fmt::format(
        "starting the workers and certifying the result may cost {}, so the budget leaves nothing "
        "for training",
        short_number(reserved.cost));
  }
  return refused;
}

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

Result<PlanBeforeRun> make_plan_before_run(plan::Instance instance, const plan::Profile& profile,
                                           const plan::PlanOptions& options) {
  plan::Promise& promise = instance.promise;
  const std::optional<double> budget = promise.budget;
  const double evaluation_s = longest_evaluation_s(profile);
  const double outside_s = outside_training_s(profile, promise.deadline_s);
  // A later deadline may need more time to certify.
  const double outside_later_s = outside_training_s(profile, kFarDeadlineS);
  const bool has_time = outside_s < promise.deadline_s;
  // Without time for training, the plan of a later deadline shows which one would do.
  const double certified_by_s = has_time ? promise.deadline_s : kFarDeadlineS;
  if (has_time) promise.deadline_s -= outside_s;
  const auto reserved_cost = [&](double price_per_s) {
    if (!budget) return 0.0;
    return start_cost(profile, price_per_s) +
           certify_reserve_cost(evaluation_s, certified_by_s, price_per_s, *budget);
  };
  double price = lowest_price(instance, profile);
  const bool has_money = !budget || reserved_cost(price) < *budget;
  PlanBeforeRun made;
  while (true) {
    made.reserved = {.seconds = outside_s, .cost = reserved_cost(price)};
    if (budget) promise.budget = std::max(0.0, *budget - made.reserved.cost);
    SURETY_TRY(made.decision, make_checked_plan(instance, profile, options));
    // The plan may use other nodes. Each repetition has a higher price, that of one of its blocks.
    const double needed = highest_price(made.decision);
    if (!budget || needed <= price) break;
    price = needed;
  }
  auto* const refusal = std::get_if<plan::Infeasible>(&made.decision);
  if (refusal && refusal->deadline_s) *refusal->deadline_s += outside_later_s;
  if (refusal && refusal->budget) {
    // Rounded up, so that it is enough.
    const double before_certifying = *refusal->budget + start_cost(profile, price);
    refusal->budget =
        digits_up(budget_for_training(before_certifying, evaluation_s, certified_by_s, price), 4);
  }
  if (has_time && has_money) return made;
  plan::Infeasible refused = without_room(made.reserved, has_time, has_money);
  if (!has_time && has_money) {
    refused.deadline_s =
        refusal ? refusal->deadline_s : std::optional(promise.deadline_s + outside_later_s);
  }
  if (has_time && refusal) {
    refused.budget = refusal->budget;
    if (!refused.budget) refused.reason += "; a larger budget alone would not be enough";
  }
  made.decision = std::move(refused);
  return made;
}

Result<void> check_decision(const plan::Instance& instance, const plan::Decision& decision,
                            const plan::check::CheckOptions& options) {
  std::vector<std::string> errors;
  std::string_view which = "plan";
  if (const auto* plan = std::get_if<plan::Plan>(&decision)) {
    SURETY_CHECK(plan->claims);
    errors = plan::check::check_plan(instance, *plan, options);
  } else {
    // A closest plan that trains nothing is not shown, so it claims nothing.
    const plan::Plan* const closest = std::get<plan::Infeasible>(decision).closest();
    if (closest == nullptr) return {};
    errors = plan::check::check_closest(instance, *closest, options);
    which = "closest plan of a refusal";
  }
  if (errors.empty()) return {};
  return fail(ErrorCode::kDefect,
              "an independent computation of the planner's claims disagrees: {}. The {} is not "
              "used; please report this with the profile",
              fmt::join(errors, "; "), which);
}

}  // namespace surety::orchestrator
