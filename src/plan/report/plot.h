// A decision as an HTML page: the content of the terminal's table, and three charts.
#pragma once

#include <string>

#include "plan/plan.h"

namespace surety::plan {

// One HTML file without scripts, fonts or network access. It is light or dark, readable on a phone
// and on paper, and readable without colours (hatches and letters repeat them). Names are escaped.
// An infeasible decision is shown with its reasons, the nearest promises, and the plan that comes
// closest. O(bands * blocks).
[[nodiscard]] std::string plan_html(const Decision& decision, const Promise& promise,
                                    const std::string& job_name);

}  // namespace surety::plan
