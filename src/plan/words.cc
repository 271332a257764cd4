#include "plan/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"
#include "plan/support.h"

namespace surety::plan {

std::string metric_words(Metric metric) {
  switch (metric) {
    case Metric::kValidationLoss:
      return "validation loss";
    case Metric::kAccuracy:
      return "accuracy";
    case Metric::kDualityGap:
      return "duality gap";
  }
  return "metric";
}

std::string_view bound_words(Metric metric) {
  return metric == Metric::kAccuracy ? "at least" : "at most";
}

double shown_metric(Metric metric, double planned) {
  return metric == Metric::kAccuracy ? std::clamp(1 - planned, 0.0, 1.0) : planned;
}

std::string_view name_of(Planner planner) { return name_in(kPlannerNames, planner); }

std::string_view what_it_does(Planner planner) {
  switch (planner) {
    case Planner::kClosedLoop:
      return "after every pass it decides what to train next, from the metric and the time that is "
             "left; it stops as soon as a kept checkpoint is good enough";
    case Planner::kOpenLoop:
      return "a fixed schedule, chosen with the random differences between runs taken into "
             "account; it stops as soon as a kept checkpoint is good enough";
    case Planner::kMean:
      return "a fixed schedule, chosen for the average run with a margin; it stops as soon as a "
             "kept checkpoint is good enough";
    case Planner::kByHand:
      return "a fixed schedule that was set by hand; it makes no claims";
  }
  return "";
}

std::string good_enough_words(const Plan& plan, const Promise& promise) {
  const std::string bound =
      fmt::format("{} {}", bound_words(promise.metric),
                  short_number(shown_metric(promise.metric, plan.stop_metric)));
  if (plan.planner == Planner::kClosedLoop) {
    return fmt::format(
        "when a further pass costs more than it adds to the chance that the certifying data, which "
        "no decision used, also show {}",
        bound);
  }
  return fmt::format(
      "{} on the deciding data; then the certifying data, which no decision used, must show the "
      "target",
      bound);
}

std::string_view meaning_of(ReasonClass reason_class) {
  switch (reason_class) {
    case ReasonClass::kFloor:
      return "under the laws that agree with the observations, no version reaches the target";
    case ReasonClass::kDeadline:
      return "the target can be reached, but not in that time";
    case ReasonClass::kBudget:
      return "the target can be reached, but not for that money";
    case ReasonClass::kProfile:
      return "the measurements do not show that the target can be reached";
    case ReasonClass::kData:
      return "there are too few validation data to decide";
    case ReasonClass::kStuck:
      return "too many runs never learn";
    case ReasonClass::kPasses:
      return "the job allows too few passes";
    case ReasonClass::kSeeds:
      return "there are too few profiled seeds to support the promise";
  }
  return "";
}

std::string percentile_words(const Support& support) {
  return fmt::format(
      "if the fitted laws of learning have the right shape: simulated with laws that {} cannot "
      "distinguish from them",
      counted(support.seeds, "profiled seed"));
}

std::string most_supported_words(const Support& support) {
  const double most = most_supported(support.seeds);
  if (most >= support.percentile) return "";
  return fmt::format("at most {}, whatever the laws show: {} may all have learned unusually well",
                     percent(most), counted(support.seeds, "profiled seed"));
}

std::string held_out_words(const Support& support) {
  if (support.held_out_runs == 0) {
    return "for any laws: no seeds were left on which the plan could be replayed";
  }
  return fmt::format(
      "for any laws: planned on some seeds, replayed on {} others, of which {} reach the target; "
      "so few can show at most {}",
      support.held_out_runs, support.held_out_successes, percent(support.held_out_limit));
}

std::string promise_words(const Promise& promise) {
  return fmt::format(
      "{} {} {} within {}, with probability {}{}", metric_words(promise.metric),
      bound_words(promise.metric), short_number(promise.target), time_words(promise.deadline_s),
      chosen_percent(promise.probability),
      promise.budget ? ", for at most " + money(*promise.budget) : ", at the least cost");
}

std::string more_seeds_words(const Claims& claims, const Promise& promise) {
  const Support& support = claims.support;
  if (claims.probability_lower < promise.probability) return "";
  if (support.held_out >= promise.probability || support.seeds_needed <= support.seeds) return "";
  return fmt::format(
      "{} more seeds in the profile ({} in all), if none fails, would show {} for any laws",
      support.seeds_needed - support.seeds, support.seeds_needed,
      chosen_percent(promise.probability));
}

}  // namespace surety::plan
