// report.html: one self-contained page (inline SVG and CSS, no script needed to read it, no
// network) about a run: verdict, metric against the planned band, cost, nodes over time, plan and
// runners-up, time line, assumptions.
#pragma once

#include <string>
#include <vector>

#include "certificate/certificate.h"
#include "certificate/spending_part.h"

namespace surety::certificate {

// `spent` states for what time and money were used. The record alone does not contain this.
[[nodiscard]] std::string report_html(const RunRecord& record,
                                      const std::vector<SpendingPart>& spent = {});

}  // namespace surety::certificate
