// The pool's decisions as sentences for the log, one line each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/choice/pool_rule.h"
#include "plan/promise.h"
#include "plan/reason_class.h"

namespace surety::plan {

// The passes and attempts that a decision rests on.
struct PoolEvidence {
  std::uint32_t passes = 0;
  std::uint32_t attempts = 0;
};

// Examples are "1 pass" and "2 passes".
[[nodiscard]] std::string passes_words(std::uint32_t passes);

// An example is "loss 0.4123". `value`: lower is better.
[[nodiscard]] std::string metric_words(Metric metric, double value);

// The margin between the target and a metric on the deciding samples at which training stops
// (plan/belief/stop_metric.h).
struct StopMargin {
  double width = 0;  // 0 if the metric is exact.
  // Upper limit of the share of all runs that stop with this margin and are then not certified.
  double missed = 0;
};

// The reason for which an attempt is certified.
[[nodiscard]] std::string reached_words(Metric metric, double value, const StopMargin& margin,
                                        std::uint32_t passes);

// The reason for which the best model so far is certified, although its margin is smaller than the
// one that an attempt in training needs.
[[nodiscard]] std::string best_will_do_words(Metric metric, std::size_t attempts, double best,
                                             const StopMargin& margin);

// The reason for the end of training: its metric has settled (settled.h).
[[nodiscard]] std::string settled_words(Metric metric, double value, std::uint32_t passes);

// The reason for the end of training: so many evaluations have found no error.
[[nodiscard]] std::string perfect_words(std::uint32_t evaluations);

// The reason for the end of training: its attempt has made all its passes.
[[nodiscard]] std::string all_passes_words(Metric metric, double value, std::uint32_t passes);

// Names the best saved model, where it is better than the last one.
[[nodiscard]] std::string best_kept_words(Metric metric, double value);

// The goal that further attempts would hardly reach.
struct BeyondReach {
  double goal = 0;
  double attempts = 0;  // Number of further attempts.
  double chance = 0;    // The chance that one of them reaches the goal is below this.
};
// The reason for which no other attempt begins. `bests`: the best metrics of the attempts so far.
// REQUIRES: `bests` is not empty.
[[nodiscard]] std::string exhausted_words(Metric metric, const std::vector<double>& bests,
                                          const BeyondReach& beyond);

// "attempt 2 begins with prune:0.5: why". The first attempt is number 1.
[[nodiscard]] std::string attempt_words(std::size_t number, const std::string& variant,
                                        const std::string& why);
// The reason for which a fresh attempt begins. `names_cost`: whether the expected cost is
// meaningful.
[[nodiscard]] std::string fresh_words(std::size_t number, const std::string& variant, double cost,
                                      bool names_cost);

// The statements about the time of reaching the goal that the evidence permits.
enum class ForecastScope : std::uint8_t {
  kNothing,    // The passes so far say too little.
  kIfInReach,  // A forecast, but not the statement that the attempt does not reach the goal.
  kAll,
};
// The forecast of the time at which the attempt of the option reaches the target, or another goal
// with this name. None for a fresh attempt.
[[nodiscard]] std::optional<std::string> forecast_words(const PoolOption& option,
                                                        ForecastScope scope,
                                                        const std::string& goal = "the target");
// Whether the attempt of the option has too few passes left for its goal under nine of ten laws, if
// it stays in the version of the option.
[[nodiscard]] bool is_out_of_reach(const PoolOption& option);

// The deciding samples show the target, but training continues. Lower values are better.
struct ShortOfMargin {
  double target = 0;
  double goal = 0;  // The target less the margin (plan/belief/stop_metric.h).
  double probability = 0.9;
};
// The reason for which training continues. `forecast` is that of the goal, if there is one.
[[nodiscard]] std::string margin_words(const ShortOfMargin& seen,
                                       const std::optional<std::string>& forecast = {});

[[nodiscard]] std::string no_time_words(double seconds_left, const std::string& variant,
                                        double pass_s);
// A later deadline or a larger budget with which the target would probably be reached. If both are
// set, only the deadline is named.
struct EnoughRoom {
  double probability = 0;            // Probability of reaching the target with it.
  std::optional<double> deadline_s;  // Seconds since the run began.
  std::optional<double> budget;
};
// A sentence that names them, if there are any. REQUIRES: ascending probabilities.
[[nodiscard]] std::optional<std::string> enough_words(const std::vector<EnoughRoom>& chances);
// The reason for which a budget that the first pass exceeds is refused. REQUIRES: money_left < 0.
[[nodiscard]] std::string over_budget_words(double money_left, double metric, Metric what);
[[nodiscard]] std::string no_money_words(double money_left, const std::string& variant,
                                         double pass_cost);

// An example is " and with 2 earlier jobs of this kind".
[[nodiscard]] std::string earlier_words(std::uint32_t jobs, bool same_data);

// The argument for a promise that rests on the laws of learning. `earlier`: " and with ...", or
// empty. `kept_low`: the share `confidence` of the laws have at least this chance.
[[nodiscard]] std::string argument_words(const PoolEvidence& evidence, const std::string& earlier,
                                         double confidence, double kept_low, double kept_mean);

// The reason for which a promise is refused. The text states a belief, not a fact. `reason_class`:
// floor, deadline or budget. `kept_mean`: the mean chance over the laws of learning. `kept_high`:
// 97.5 % of the laws have at most this chance.
[[nodiscard]] std::string refusal_words(ReasonClass reason_class, const PoolEvidence& evidence,
                                        double probability, double kept_mean, double kept_high);

}  // namespace surety::plan
