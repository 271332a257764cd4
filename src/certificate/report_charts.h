// The report's charts. Each is drawn twice, wide and narrow, so that its letters stay readable on a
// phone; the style sheet shows one of them. A chart is empty if there is nothing to draw.
#pragma once

#include <string>

#include "certificate/certificate.h"

namespace surety::certificate {

// The metric over training time: planned band and median, target, measurements with two standard
// errors, changes of version, deadline. Duality gaps have a logarithmic axis. Values that are not
// finite are left out.
[[nodiscard]] std::string metric_chart(const RunRecord& record);

// Cost of training over training time, against the plan and the remaining budget.
[[nodiscard]] std::string cost_chart(const RunRecord& record);

// Workers present over the time of the run, with who joined, left and was lost.
[[nodiscard]] std::string workers_chart(const RunRecord& record);

}  // namespace surety::certificate
