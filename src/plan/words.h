// Numbers and names of a plan as people read them: what the terminal, the pages and the
// certificate all say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace surety::plan {

// "validation loss", "accuracy", "duality gap".
[[nodiscard]] std::string metric_words(Metric metric);
// "at most", "at least" (accuracy).
[[nodiscard]] std::string_view bound_words(Metric metric);
// The planned metric as the user states it: accuracy as accuracy, where plans keep 1 - accuracy.
[[nodiscard]] double shown_metric(Metric metric, double planned);

// Four significant digits: to look at, not to compare.
[[nodiscard]] std::string short_number(double value);
[[nodiscard]] std::string money(double value);         // Two decimals, or two digits below 0.1.
[[nodiscard]] std::string percent(double share);       // "95 %", "99.2 %"; rounded down.
[[nodiscard]] std::string more_or_less(double ratio);  // "+12 %", "-3 %", "the same"
[[nodiscard]] std::string time_words(double seconds);

// Nothing is certain that rests on laws or counts: a chance above this is said to be more than 99.9
// %.
inline constexpr double kNearlyCertain = 0.9995;
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);  // "2 nodes"

// "closed-loop", "open-loop", "mean".
[[nodiscard]] std::string_view name_of(Planner planner);
[[nodiscard]] std::optional<Planner> planner_named(std::string_view name);
// What such a planner does, a sentence.
[[nodiscard]] std::string_view what_it_does(Planner planner);

// When the job stops for having reached the target, a sentence.
[[nodiscard]] std::string good_enough_words(const Plan& plan, const Promise& promise);
// What a reason class of Infeasible means, a clause; empty for one that is not known.
[[nodiscard]] std::string_view meaning_of(std::string_view reason_class);

// How the probability is supported, a sentence or two: the two lower bounds and what binds.
[[nodiscard]] std::string percentile_words(const Support& support);
// Empty where the laws support less.
[[nodiscard]] std::string most_supported_words(const Support& support);
[[nodiscard]] std::string held_out_words(const Support& support);
// How many more seeds would show the promise without assumptions; empty where enough are there.
[[nodiscard]] std::string more_seeds_words(const Support& support, const Promise& promise);

}  // namespace surety::plan
