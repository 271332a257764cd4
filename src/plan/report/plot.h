// A decision as a page to look at: what the terminal's table says, and three pictures.
#pragma once

#include <string>

#include "plan/plan.h"

namespace surety::plan {

// One HTML file that needs nothing else: no scripts, no fonts, no network; light and dark, readable
// on a phone and on paper, and without colours (hatches and letters say the same). Names are
// escaped. An infeasible decision is shown with its reasons, the nearest promises and what comes
// closest. O(bands * blocks).
[[nodiscard]] std::string plan_html(const Decision& decision, const Promise& promise,
                                    const std::string& job_name);

}  // namespace surety::plan
