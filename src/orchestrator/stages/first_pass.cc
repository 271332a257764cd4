#include "orchestrator/stages/first_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/words.h"

namespace surety::orchestrator {
namespace {

// Share of the first pass after which its duration is known well enough.
constexpr double kShareToJudge = 0.2;
// Factor by which another variant's pass may be faster than assumed.
constexpr double kGuessOff = 0.5;

// Evaluations that a run with a single pass pays for: one after the pass, and those that are
// reserved for certifying (time_reserve.cc).
constexpr double kEvaluations = 4;
// The next run may be slower than this one.
constexpr double kSlowerRun = 1.1;
constexpr double kMinuteS = 60;

// A single pass seldom keeps a promise, so the text does not offer a promise with this budget.
// `missing`: what the pass and its evaluations cost beyond the budget.
std::string least_budget_words(double budget, double missing) {
  return fmt::format("A budget of about {} pays for one pass",
                     money_up(kSlowerRun * (budget + std::max(0.0, missing))));
}

plan::PoolRefuse refusal(plan::ReasonClass reason_class, std::string reason) {
  return {.reason_class = reason_class,
          .reason = std::move(reason),
          .target = {},
          .probability = {},
          .seconds_left = {},
          .money_left = {}};
}

// Whether a pass of any variant can end: the current one needs `rest_s` more, and others begin
// anew.
bool any_fits(double pass_s, double rest_s, const plan::PoolSpec& pool,
              const plan::PoolVariantSpec& own, const plan::PoolMoment& left) {
  const auto fits = [&](double seconds, double price_per_s) {
    return seconds <= left.seconds_left &&
           (!left.money_left || seconds * price_per_s <= *left.money_left);
  };
  bool any = fits(rest_s, own.price_per_s);
  for (const plan::PoolVariantSpec& other : pool.variants) {
    if (&other == &own) continue;
    const double guess = pass_s * other.relative_time / own.relative_time;
    any = any || fits(kGuessOff * guess, other.price_per_s);
  }
  return any;
}

}  // namespace

std::optional<plan::PoolRefuse> FirstPass::watch(double done, const PoolNow& now,
                                                 const plan::PoolSpec& pool, std::uint32_t variant,
                                                 std::optional<double> budget) {
  if (!began_s_ || done <= 0) {
    began_s_ = now.seconds;
    return std::nullopt;
  }
  const double elapsed_s = now.seconds - *began_s_;
  if (done < kShareToJudge || elapsed_s <= 0) return std::nullopt;
  const double pass_s = elapsed_s / done;
  const double rest_s = pass_s - elapsed_s;
  const plan::PoolVariantSpec& own = pool.variants[variant];
  if (any_fits(pass_s, rest_s, pool, own, now.left)) return std::nullopt;
  const std::string reason = fmt::format("not a single pass can end: a pass of {} takes about {}",
                                         own.name, time_words(pass_s));
  const double evaluations_s = kEvaluations * evaluation_passes_ * pass_s;
  if (rest_s > now.left.seconds_left) {
    const double missing_s = rest_s + evaluations_s - now.left.seconds_left;
    return refusal(
        plan::ReasonClass::kDeadline,
        reason + fmt::format("; {} are left until certifying must begin. A deadline of "
                             "about {} leaves time for one pass",
                             time_words(std::max(0.0, now.left.seconds_left)),
                             time_words(kSlowerRun * (now.state->record.deadline_s + missing_s))));
  }
  const double missing = (rest_s + evaluations_s) * own.price_per_s - *now.left.money_left;
  return refusal(
      plan::ReasonClass::kBudget,
      reason +
          fmt::format(" and costs {}, and {} of the budget is left. ",
                      money(pass_s * own.price_per_s), money(std::max(0.0, *now.left.money_left))) +
          least_budget_words(*budget, missing));
}

plan::PoolRefuse FirstPass::out_of_money(Phase phase, double done, const PoolNow& now,
                                         const plan::PoolVariantSpec& own, double budget) const {
  std::string reason =
      "not a single pass can end: the budget, minus the cost of certifying, is used up ";
  if (phase == Phase::kTraining && done > 0 && began_s_) {
    const double elapsed_s = now.seconds - *began_s_;
    const double left_s = elapsed_s * ((1 + kEvaluations * evaluation_passes_) / done - 1);
    const double missing = left_s * own.price_per_s - *now.left.money_left;
    reason += fmt::format("when the first one is {:.0f} % complete. ", 100 * done) +
              least_budget_words(budget, missing);
  } else if (phase == Phase::kEvaluation) {
    reason += "during the evaluation of the first one. " +
              least_budget_words(budget, std::max(0.0, -*now.left.money_left));
  } else {
    reason += fmt::format(
        "{}: the workers cost {} per second. It is not known yet how long a pass "
        "takes. A budget of about {} pays for a minute of training",
        phase == Phase::kTraining ? "too early in the first one to estimate how long it takes"
                                  : "before the first one began",
        money(own.price_per_s), money_up(budget + kMinuteS * own.price_per_s));
  }
  return refusal(plan::ReasonClass::kBudget, std::move(reason));
}

}  // namespace surety::orchestrator
