#include "plan/pool/pool_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/words.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

std::string seen_words(const PoolEvidence& evidence) {
  return fmt::format("{} of {}", passes_words(evidence.passes),
                     counted(evidence.attempts, "attempt"));
}

std::string chance_words(double share) {
  if (share < 1 - kNearlyCertain) return "below 0.1 %";
  return share > kNearlyCertain ? "more than 99.9 %" : percent(share);
}

std::string least_words(double share) {
  const std::string chance = chance_words(share);
  return chance.starts_with("more") ? chance : "at least " + chance;
}

// A limit is rounded up, as all other chances are rounded down.
std::string most_words(double share) {
  const std::string chance = chance_words(std::ceil(1000 * share - 1e-9) / 1000);
  return chance.starts_with("below") ? chance : "at most " + chance;
}

// The share refers to all runs. If the target is near the best metric that runs can reach, few runs
// stop at it, and many of these few may miss it.
std::string missed_text(const StopMargin& margin) {
  return fmt::format(
      "with it, at most {} of all runs stop and then miss the target on the certifying samples",
      chosen_percent(margin.missed));
}

std::string margin_text(const StopMargin& margin) {
  return fmt::format("better than the target by at least the required margin of {:.2g}: {}",
                     margin.width, missed_text(margin));
}

const char* name_of_metric(Metric metric) {
  switch (metric) {
    case Metric::kValidationLoss:
      return "loss";
    case Metric::kAccuracy:
      return "accuracy";
    case Metric::kDualityGap:
      return "duality gap";
  }
  return "metric";
}

}  // namespace

std::string passes_words(std::uint32_t passes) { return counted(passes, "pass"); }

std::string metric_words(Metric metric, double value) {
  return fmt::format("{} {:.4g}", name_of_metric(metric), shown_metric(metric, value));
}

std::string reached_words(Metric metric, double value, const StopMargin& margin,
                          std::uint32_t passes) {
  return fmt::format(
      "{} after {} {}", metric_words(metric, value), passes_words(passes),
      margin.width > 0 ? "is " + margin_text(margin) : std::string("reaches the target"));
}

std::string best_will_do_words(Metric metric, std::size_t attempts, double best,
                               const StopMargin& margin) {
  return fmt::format("{} attempts show no further progress, and the best model of all ({}) is {}",
                     attempts, metric_words(metric, best),
                     margin.width > 0 ? margin_text(margin) : std::string("at the target"));
}

std::string settled_words(Metric metric, double value, std::uint32_t passes) {
  return fmt::format(
      "after {} the {} hardly changes any more, and a linear model has one solution: neither more "
      "passes nor another attempt would give a better model",
      passes_words(passes), metric_words(metric, value));
}

std::string perfect_words(std::uint32_t evaluations) {
  return fmt::format(
      "the models after {} classify all deciding samples correctly: no further pass can show a "
      "better model",
      passes_words(evaluations));
}

std::string all_passes_words(Metric metric, double value, std::uint32_t passes) {
  const char* const what_helps =
      metric == Metric::kDualityGap
          ? "more passes, or fewer workers (profile.workers), may bring it lower; another attempt "
            "would not"
          : "a linear model has one solution: another attempt would not come nearer to it";
  return fmt::format("{} after the last of train.passes_max = {} passes; {}",
                     metric_words(metric, value), passes, what_helps);
}

std::string best_kept_words(Metric metric, double value) {
  return fmt::format("the best saved model had {}", metric_words(metric, value));
}

std::string exhausted_words(Metric metric, const std::vector<double>& bests,
                            const BeyondReach& beyond) {
  const auto [best, worst] = std::ranges::minmax(bests);
  return fmt::format(
      "{} reached {} at best ({:.4g} in the worst of them), and no more passes are likely to help; "
      "the probability that one of {:.0f} more attempts reaches {} is below {}",
      counted(bests.size(), "attempt"), metric_words(metric, best), shown_metric(metric, worst),
      beyond.attempts, metric_words(metric, beyond.goal), chosen_percent(beyond.chance));
}

std::string attempt_words(std::size_t number, const std::string& variant, const std::string& why) {
  return fmt::format("attempt {} begins with {}: {}", number, variant, why);
}

std::string fresh_words(std::size_t number, const std::string& variant, double cost,
                        bool names_cost) {
  return attempt_words(
      number, variant,
      names_cost
          ? fmt::format("it may reach the target for less money ({:.3g}) than the current attempts",
                        cost)
          : "the current attempts are not likely to come nearer to the target");
}

bool is_out_of_reach(const PoolOption& option) {
  return option.attempt && option.passes_low > option.passes_left;
}

std::optional<std::string> forecast_words(const PoolOption& option, ForecastScope scope,
                                          const std::string& goal) {
  if (!option.attempt) return std::nullopt;
  const double low = option.passes_low;
  const double high = option.passes_high;
  const char* passes = low == 1 ? "pass" : "passes";
  if (scope == ForecastScope::kNothing ||
      (scope == ForecastScope::kIfInReach && is_out_of_reach(option))) {
    return fmt::format("it is too early to say when {} is reached", goal);
  }
  if (is_out_of_reach(option)) {
    return fmt::format(
        "this attempt will probably not reach {} in the {} that it has left (probability 90 %)",
        goal, passes_words(option.passes_left));
  }
  if (high > option.passes_left) {
    return fmt::format("{} is at least {:.0f} more {} away (probability 90 %)", goal, low, passes);
  }
  if (low == high)
    return fmt::format("{} is {:.0f} more {} away (probability 80 %)", goal, low, passes);
  return fmt::format("{} is {:.0f} to {:.0f} more passes away (probability 80 %)", goal, low, high);
}

std::string margin_words(const ShortOfMargin& seen, const std::optional<std::string>& forecast) {
  const StopMargin margin{seen.target - seen.goal, (1 - seen.probability) / 2};
  const std::string at =
      fmt::format("at the target, but not yet better by the required margin of {:.2g} ({})",
                  margin.width, missed_text(margin));
  if (seen.goal > 0) return forecast ? fmt::format("{}; {}", at, *forecast) : at;
  return at +
         ": no result can be better than the target by this margin; more validation samples make "
         "the margin smaller";
}

std::string no_time_words(double seconds_left, const std::string& variant, double pass_s) {
  return fmt::format(
      "no time is left for another pass: {} are left until the certification must begin, and a "
      "pass of {} takes {}",
      precise_time_words(seconds_left), variant, precise_time_words(pass_s));
}

std::string no_money_words(double money_left, const std::string& variant, double pass_cost) {
  return fmt::format(
      "no money is left for another pass: {:.4g} of the budget is left after the cost of "
      "certifying is reserved, and a pass of {} costs {:.4g}; a budget that is larger by about {} "
      "pays for one more pass",
      std::max(money_left, 0.0), variant, pass_cost, money_up(pass_cost - money_left));
}

std::optional<std::string> enough_words(const std::vector<EnoughRoom>& chances) {
  std::vector<std::string> all;
  for (const EnoughRoom& enough : chances) {
    if (!enough.deadline_s && !enough.budget) continue;
    const std::string room = enough.deadline_s
                                 ? "a deadline of about " + time_words(*enough.deadline_s)
                                 : "a budget of about " + money_up(*enough.budget);
    all.push_back(fmt::format("{} with {}", chosen_percent(enough.probability), room));
  }
  if (all.empty()) return std::nullopt;
  return fmt::format(
      "the target would be reached with a probability of {} (on average over the laws of learning "
      "that agree with the passes of this run)",
      fmt::join(all, ", and of "));
}

std::string over_budget_words(double money_left, double metric, Metric what) {
  return fmt::format(
      "the budget is too small for one pass: the first pass, with certification, costs {:.3g} more "
      "than the budget; it reached {}",
      -money_left, metric_words(what, metric));
}

std::string earlier_words(std::uint32_t jobs, bool same_data) {
  return fmt::format(" and with {} of this kind{}", counted(jobs, "earlier job"),
                     same_data ? "" : " on other data");
}

std::string argument_words(const PoolEvidence& evidence, const std::string& earlier,
                           double confidence, double kept_low, double kept_mean) {
  return fmt::format(
      "the probability of keeping the promise is {} on average over the laws of learning that "
      "agree with {}{}, and {} under {} of these laws; not covered: laws of another shape (a loss "
      "that rises again), and samples that are unlike the certifying ones",
      chance_words(kept_mean), seen_words(evidence), earlier, least_words(kept_low),
      chosen_percent(confidence));
}

std::string refusal_words(ReasonClass reason_class, const PoolEvidence& evidence,
                          double probability, double kept_mean, double kept_high) {
  const std::string chance = fmt::format(
      "the probability of keeping the promise is {} on average over the laws of learning that "
      "agree with these passes, and {} under 97.5 % of these laws",
      chance_words(kept_mean), most_words(kept_high));
  if (reason_class == ReasonClass::kFloor) {
    return fmt::format(
        "judging by {}, the target is out of reach, and more time would not help: {}",
        seen_words(evidence), chance);
  }
  return fmt::format(
      "judging by {}, the target can be reached, but not {} with a probability of {}: {}",
      seen_words(evidence),
      reason_class == ReasonClass::kBudget ? "for that money" : "in that time",
      chosen_percent(probability), chance);
}

}  // namespace surety::plan
