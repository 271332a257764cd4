// The report's pictures. Each is drawn twice, wide and narrow, so that its letters stay readable on
// a telephone; the style sheet shows one of them. Empty where there is nothing to draw.
#pragma once

#include <string>

#include "orchestrator/certificate.h"

namespace surety::orchestrator {

// The metric over training time: planned band and median, target, measurements with two standard
// errors, changes of version, deadline. Gaps have a logarithmic axis. Values that are not finite
// are left out.
[[nodiscard]] std::string metric_chart(const RunRecord& record);

// What training has cost over training time, against the plan and what is left of the budget.
[[nodiscard]] std::string cost_chart(const RunRecord& record);

// Workers present over the time of the run; who joined, left and was lost.
[[nodiscard]] std::string workers_chart(const RunRecord& record);

}  // namespace surety::orchestrator
