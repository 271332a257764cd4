// report.html: one self-contained page (inline SVG and CSS, no script needed to read it, no
// network) about a run: verdict, metric against the planned band, cost, nodes over time, plan and
// runners-up, time line, assumptions.
#pragma once

#include <string>

#include "orchestrator/certificate.h"

namespace surety::orchestrator {

[[nodiscard]] std::string report_html(const RunRecord& record);

}  // namespace surety::orchestrator
