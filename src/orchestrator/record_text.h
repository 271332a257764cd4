// A run in words: what the terminal's summary and the report's head both say.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/certificate.h"

namespace surety::orchestrator {

// "Promise kept", "Promise missed", "Promise infeasible", "Run stopped".
[[nodiscard]] std::string headline(const RunRecord& record);

// Why that verdict, a sentence each; empty where the promise was kept.
[[nodiscard]] std::vector<std::string> explanation(const RunRecord& record);

struct Comparison {
  std::string what, promised, planned, reached;  // kNoNumber where there is nothing to say.
};
// Metric, time, cost, probability.
[[nodiscard]] std::vector<Comparison> comparisons(const RunRecord& record);

// "validation loss", "accuracy", "duality gap".
[[nodiscard]] std::string metric_words(plan::Metric metric);
// Four significant digits: to look at, not to compare.
[[nodiscard]] std::string short_number(double value);
[[nodiscard]] std::string money(double value);    // Two decimals, or two digits below 0.1.
[[nodiscard]] std::string percent(double share);  // "95 %", "99.2 %"
[[nodiscard]] std::string time_words(double seconds);

// "prune:0.5 for 6 passes on 3 workers, then full for 4 passes on 3 workers".
[[nodiscard]] std::string plan_words(const plan::Plan& plan);

inline constexpr const char* kNoNumber = "–";

// False for a plan that was set by hand: what it costs and how likely it is, nobody simulated.
[[nodiscard]] bool has_forecast(const plan::Plan& plan);

// The planned metric as the user states it: accuracy as accuracy, where plans keep 1 - accuracy.
[[nodiscard]] double shown_metric(plan::Metric metric, double planned);

}  // namespace surety::orchestrator
