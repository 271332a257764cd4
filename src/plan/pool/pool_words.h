// The pool's decisions in words, for people: one line each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "plan/pool/pool_rule.h"
#include "plan/promise.h"

namespace surety::plan {

// What a decision rests on.
struct PoolEvidence {
  std::uint32_t passes = 0, attempts = 0;
};

// "1 pass", "2 passes".
[[nodiscard]] std::string passes_words(std::uint32_t passes);

// "loss 0.4123"; the metric as the planner minimises.
[[nodiscard]] std::string metric_words(Metric metric, double value);

// Why an attempt is certified. `exact`: the metric has no standard error.
[[nodiscard]] std::string reached_words(Metric metric, double value, bool exact, double probability,
                                        std::uint32_t passes);

// Why the best model so far is certified, though it is not better than the target by the margin.
[[nodiscard]] std::string best_will_do_words(Metric metric, std::size_t attempts, double best,
                                             double probability);

// Why a fresh attempt begins. `says_cost`: what it may cost means something.
[[nodiscard]] std::string fresh_words(std::size_t number, const std::string& variant, double cost,
                                      bool says_cost);

// When the target, or another goal of this name, is expected; empty for a fresh attempt.
[[nodiscard]] std::string forecast_words(const PoolOption& option, std::uint32_t passes_max,
                                         const std::string& goal = "the target");

// What the deciding samples show is at the target, but training goes on. As the planner minimises.
struct ShortOfMargin {
  double target = 0, goal = 0;  // `goal`: the target less the margin (stop_metric.h).
  double probability = 0.9;
};
// Why it does. `forecast`: when the goal is expected, or empty.
[[nodiscard]] std::string margin_words(const ShortOfMargin& seen, const std::string& forecast = "");

[[nodiscard]] std::string no_time_words(double seconds_left, const std::string& variant,
                                        double pass_s);
[[nodiscard]] std::string no_money_words(double money_left, const std::string& variant,
                                         double pass_cost);

// " and with 2 earlier jobs of this kind".
[[nodiscard]] std::string earlier_words(std::uint32_t jobs, bool same_data);

// What a promise rests on that the laws of learning carry. `earlier`: " and with ...", or empty.
// `kept_low`: what the share `confidence` of the laws have at least.
[[nodiscard]] std::string argument_words(const PoolEvidence& evidence, const std::string& earlier,
                                         double confidence, double kept_low, double kept_mean);

// Why a promise is refused, which is what is believed and not what is known; `reason_class` is
// floor, deadline or budget.
// `kept_mean`: the chance on average over the laws of learning; `kept_high`: what 97.5 % of them
// have at most.
[[nodiscard]] std::string refusal_words(const std::string& reason_class,
                                        const PoolEvidence& evidence, double probability,
                                        double kept_mean, double kept_high);

}  // namespace surety::plan
