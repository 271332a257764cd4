// A run in words: text that the terminal's summary and the report's head share.
#pragma once

#include <string>
#include <vector>

#include "base/words.h"
#include "certificate/certificate.h"
#include "plan/words.h"

namespace surety::certificate {

// "Promise kept", "Promise missed", "Promise infeasible" or "Run stopped". If a run reached its
// target although the promise was refused: "The promise was refused, but the target was reached".
// If it missed its target without a promise: "No promise was stated, and the target was missed".
// Instead of the target, it may have missed the deadline or the budget.
[[nodiscard]] std::string headline(const RunRecord& record);

// Why the verdict is what it is, one sentence each; empty if the promise was kept.
[[nodiscard]] std::vector<std::string> explanation(const RunRecord& record);

struct Comparison {
  // kNoNumber means that there is no number.
  std::string what;
  std::string promised;
  std::string planned;
  std::string reached;
};
// Metric, time, cost, probability.
[[nodiscard]] std::vector<Comparison> comparisons(const RunRecord& record);
// Whether any of the numbers was planned. A run that decides after every pass plans none.
[[nodiscard]] bool has_planned(const std::vector<Comparison>& rows);

// Why training has ended, and what would have been enough if the target was missed. A result may be
// good enough although no promise was stated for it.
[[nodiscard]] std::string stop_words(const RunRecord& record);

// A dozen lines for the terminal: verdict, promised, planned, reached.
[[nodiscard]] std::string summary(const RunRecord& record);

// A probability that rests on laws or counts: the text never claims certainty.
[[nodiscard]] std::string chance_words(double share);

// The meanings of the table's signs and units, one line each.
[[nodiscard]] std::vector<std::string> notes(const RunRecord& record);

using plan::metric_words;
using plan::shown_metric;

// "prune:0.5 for 6 passes on 3 workers, then full for 4 passes on 3 workers".
[[nodiscard]] std::string plan_words(const plan::Plan& plan);

inline constexpr const char* kNoNumber = "–";

// The claims of the plan that was carried out; null if there is none, and for a plan by hand.
[[nodiscard]] const plan::Claims* claims_of(const RunRecord& record);

}  // namespace surety::certificate
