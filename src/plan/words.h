// Names and numbers of a plan as text for people (base/words.h has numbers in general). The
// terminal, the pages and the certificate use the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace surety::plan {

// "validation loss", "accuracy" or "duality gap".
[[nodiscard]] std::string metric_words(Metric metric);
// "at most", or "at least" for accuracy.
[[nodiscard]] std::string_view bound_words(Metric metric);
// The planned metric as the user states it. Plans contain 1 - accuracy, which a law may put above
// 1; this gives the accuracy, from 0 to 1.
[[nodiscard]] double shown_metric(Metric metric, double planned);

// A chance that rests on laws or counts is never certain, so a chance above this is shown as more
// than 99.9 %.
inline constexpr double kNearlyCertain = 0.9995;

// "closed-loop", "open-loop", "mean" or "by-hand".
[[nodiscard]] std::string_view name_of(Planner planner);
// A sentence that describes the planner.
[[nodiscard]] std::string_view what_it_does(Planner planner);

// A sentence about the condition at which the job stops because it has reached the target.
[[nodiscard]] std::string good_enough_words(const Plan& plan, const Promise& promise);
// A clause that explains the class.
[[nodiscard]] std::string_view meaning_of(ReasonClass reason_class);

// One or two sentences on the support of the probability: the two lower bounds, and which of them
// is lower.
[[nodiscard]] std::string percentile_words(const Support& support);
// Empty if the laws support less.
[[nodiscard]] std::string most_supported_words(const Support& support);
[[nodiscard]] std::string held_out_words(const Support& support);
// "validation loss at most 0.3 within 10min, with probability 95 %, at the least cost".
[[nodiscard]] std::string promise_words(const Promise& promise);
// The number of further seeds that would show the promise without assumptions; empty if there are
// enough, or if the plan does not support the promise: then the reason of the refusal names seeds.
[[nodiscard]] std::string more_seeds_words(const Claims& claims, const Promise& promise);

}  // namespace surety::plan
