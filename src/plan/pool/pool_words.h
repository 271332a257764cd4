// The pool's decisions as sentences for the log, one line each.
#pragma once

#include <cstddef>
#include <cstdint>
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

// For example "1 pass" or "2 passes".
[[nodiscard]] std::string passes_words(std::uint32_t passes);

// For example "loss 0.4123". `value`: lower is better.
[[nodiscard]] std::string metric_words(Metric metric, double value);

// The margin between the target and a metric on the deciding samples at which training stops
// (plan/belief/stop_metric.h).
struct StopMargin {
  double width = 0;   // 0 if the metric is exact.
  double missed = 0;  // At most this share of all runs stops with it and is then not certified.
};

// Why an attempt is certified.
[[nodiscard]] std::string reached_words(Metric metric, double value, const StopMargin& margin,
                                        std::uint32_t passes);

// Why the best model so far is certified, though the margin is smaller than that of an attempt that
// may continue.
[[nodiscard]] std::string best_will_do_words(Metric metric, std::size_t attempts, double best,
                                             const StopMargin& margin);

// Why training ends: its metric has settled (settled.h).
[[nodiscard]] std::string settled_words(Metric metric, double value, std::uint32_t passes);

// Why training ends: its attempt has made all its passes.
[[nodiscard]] std::string all_passes_words(Metric metric, double value, std::uint32_t passes);

// What further attempts would hardly come to.
struct BeyondReach {
  double goal = 0;
  double attempts = 0;  // How many further ones.
  double chance = 0;    // The chance that one of them comes to the goal is below this.
};
// Why no other attempt begins. `bests`: the best metrics of the attempts so far.
// REQUIRES: there are some.
[[nodiscard]] std::string exhausted_words(Metric metric, const std::vector<double>& bests,
                                          const BeyondReach& beyond);

// "attempt 2 begins with prune:0.5: why". The first attempt is number 1.
[[nodiscard]] std::string attempt_words(std::size_t number, const std::string& variant,
                                        const std::string& why);
// Why a fresh attempt begins. `names_cost`: whether the expected cost is meaningful.
[[nodiscard]] std::string fresh_words(std::size_t number, const std::string& variant, double cost,
                                      bool names_cost);

// What the evidence permits to say about when an attempt reaches its goal.
enum class ForecastScope : std::uint8_t {
  kNothing,    // The passes so far say too little.
  kIfInReach,  // When it reaches the goal, but not that it never will.
  kAll,
};
// When the attempt of the option reaches the target, or another goal with this name. Empty for a
// fresh attempt.
[[nodiscard]] std::string forecast_words(const PoolOption& option, ForecastScope scope,
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
// Why training continues. `forecast`: when the goal is expected, or empty.
[[nodiscard]] std::string margin_words(const ShortOfMargin& seen, const std::string& forecast = "");

[[nodiscard]] std::string no_time_words(double seconds_left, const std::string& variant,
                                        double pass_s);
// REQUIRES: money_left < 0.
[[nodiscard]] std::string too_dear_words(double money_left, double metric, Metric what);
[[nodiscard]] std::string no_money_words(double money_left, const std::string& variant,
                                         double pass_cost);

// For example " and with 2 earlier jobs of this kind".
[[nodiscard]] std::string earlier_words(std::uint32_t jobs, bool same_data);

// The argument for a promise that rests on the laws of learning. `earlier`: " and with ...", or
// empty. `kept_low`: the share `confidence` of the laws have at least this chance.
[[nodiscard]] std::string argument_words(const PoolEvidence& evidence, const std::string& earlier,
                                         double confidence, double kept_low, double kept_mean);

// Why a promise is refused. The text states what is believed, not what is known. `reason_class`:
// floor, deadline or budget. `kept_mean`: the mean chance over the laws of learning.
// `kept_high`: 97.5 % of the laws have at most this chance.
[[nodiscard]] std::string refusal_words(ReasonClass reason_class, const PoolEvidence& evidence,
                                        double probability, double kept_mean, double kept_high);

}  // namespace surety::plan
